/** Writes a file about a failed test. An error in writing never hides the failure itself. */

import { describeError } from "../../base/file-error.ts";

/** The file's path, relative to the working directory, or why there is none. */
export type WriteResult =
  | { readonly kind: "written"; readonly path: string }
  | { readonly kind: "not-written"; readonly why: string };

/** Makes the directory, and writes or replaces the file. Never rejects. */
export async function writeFailureFile(
  directory: string,
  file: string,
  text: string,
): Promise<WriteResult> {
  if (typeof process === "undefined" || process.versions?.node === undefined) {
    return { kind: "not-written", why: "only Node can write files" };
  }
  try {
    const { mkdir, writeFile } = await import("node:fs/promises");
    const { join } = await import("node:path");
    await mkdir(directory, { recursive: true });
    const path = join(directory, file);
    await writeFile(path, text);
    return { kind: "written", path };
  } catch (error) {
    return {
      kind: "not-written",
      why: `can't write to ${directory}: ${describeError(error)}`,
    };
  }
}
