/** Writes output that holds text from files or the network, so that this text can't act on a terminal. */

import { printableLines } from "../../base/text.ts";

/** Whether it shows colours: https://no-color.org */
export function isColourful(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY === true && (process.env.NO_COLOR ?? "") === "";
}

/** Writes a text, or JSON, with its own line breaks. */
export function say(text: string, stream: NodeJS.WritableStream = process.stderr): void {
  stream.write(printableLines(text));
}
