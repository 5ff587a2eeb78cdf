/** Writes what shows a failure to a file, where there are files. That it can't be written never hides the failure. */

import { describeError } from "../../base/file-error.ts";

/** Where it is, from the working directory on, or why it is nowhere. */
export type WriteResult =
  | { readonly kind: "written"; readonly path: string }
  | { readonly kind: "not-written"; readonly why: string };

/** Makes the directory, and puts the text in the place of what was in the file. Never rejects. */
export async function writeFailureFile(
  directory: string,
  file: string,
  text: string,
): Promise<WriteResult> {
  if (typeof process === "undefined" || process.versions?.node === undefined) {
    return { kind: "not-written", why: "there are no files here: run it in Node" };
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
      why: `${directory} can't be written to: ${describeError(error)}`,
    };
  }
}
