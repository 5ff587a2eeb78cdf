/** Writes output that may contain text from files or the network. Control characters in it are made harmless. */

import type { Content } from "../../adapters/files/atomic-file.ts";
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

/** Writes text of any length, as fast as its reader takes it. Stops if the reader has gone. */
export async function sayAll(content: Content, stream: NodeJS.WriteStream): Promise<void> {
  for (const part of typeof content === "string" ? [content] : content) {
    if (!stream.writable) return;
    say(part, stream);
    if (!stream.writableNeedDrain) continue;
    await new Promise<void>((resolve) => {
      whenDrained(stream, resolve);
    });
  }
}

/** Calls back once, when the stream takes more text or is closed. */
export function whenDrained(stream: NodeJS.WriteStream, callback: () => void): void {
  const settled = (): void => {
    stream.off("drain", settled);
    stream.off("close", settled);
    callback();
  };
  stream.once("drain", settled);
  stream.once("close", settled);
}
