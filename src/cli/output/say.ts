/** Writes output that may contain text from files or the network. Control characters in it are made harmless. */

import { printableLines } from "../../base/text.ts";
import { readableDuration } from "../../play/measure/quantities.ts";

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

/** Says that a play waits for another service's quota. */
export function sayWait(ms: number, stream: NodeJS.WritableStream): void {
  const about = readableDuration(Math.ceil(ms / 1000) * 1000);
  say(`adsim: waits ${about}, until the service has quota again\n`, stream);
}
