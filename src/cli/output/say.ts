/** Writes output that may contain text from files or the network. Control characters in it are made harmless. */

import type { Content } from "../../adapters/files/whole-file.ts";
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

/** Writes text of any length, as fast as its reader takes it. @returns false if the reader left before the end. */
export async function sayAll(content: Content, stream: NodeJS.WritableStream): Promise<boolean> {
  for (const part of typeof content === "string" ? [content] : content) {
    const isGone = await new Promise<boolean>((resolve) => {
      // After a broken pipe the stream still claims that it is writable.
      stream.write(printableLines(part), (error) => resolve(error instanceof Error));
    });
    if (isGone) return false;
  }
  return true;
}
