/** Writes output that may contain text from files or the network. Control characters in it are made harmless. */

import { printableLines } from "../../base/text.ts";

/** Whether to use colours: https://no-color.org */
export function isColourful(
  stream: NodeJS.WriteStream,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return stream.isTTY === true && (env.NO_COLOR ?? "") === "";
}

/** Writes text or JSON. Line breaks are kept. */
export function say(text: string, stream: NodeJS.WritableStream): void {
  stream.write(printableLines(text));
}
