/** Writes output that holds text from files or the network, so that this text can't act on a terminal. */

import { printableLines } from "../base/text.ts";

/** Writes a text, or JSON, with its own line breaks. */
export function say(text: string, stream: NodeJS.WritableStream = process.stderr): void {
  stream.write(printableLines(text));
}
