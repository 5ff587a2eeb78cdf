/** Reads text files, and writes them whole or not at all: a temporary file in the same folder replaces the old one. */

import { isUtf8 } from "node:buffer";
import type { Stats } from "node:fs";
import {
  access,
  appendFile,
  chmod,
  constants,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";

/** The text, without a byte order mark. @throws Error if it isn't text; errors of the file system. */
export async function readText(path: string): Promise<string> {
  const bytes = await readFile(path);
  if (!isUtf8(bytes)) throw new Error("it is not text in UTF-8");
  return bytes.toString().replace(/^\ufeff/, "");
}

/**
 * Writes a file. Links are followed, and a replaced file's mode stays. A pipe or a device, such as `/dev/stdout`, is written to.
 *
 * @param mode Of a new file, before the umask.
 * @returns whether it replaced a file.
 * @throws Error for a folder; errors of the file system.
 */
export async function writeWholeFile(path: string, text: string, mode = 0o666): Promise<boolean> {
  const before = await checkWritable(path);
  if (isPipeOrDevice(path, before)) {
    await appendFile(path, text);
    return false;
  }
  const target = before === undefined ? path : await realpath(path);
  const temporary = join(dirname(target), `.adsim-${crypto.randomUUID()}.tmp`);
  try {
    await writeFile(temporary, text, { flag: "wx", mode });
    if (before !== undefined) await chmod(temporary, before.mode & 0o7777);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return before !== undefined;
}

/** Changes nothing. @returns what is there. @throws Error for a folder; errors of the file system. */
export async function checkWritable(path: string): Promise<Stats | undefined> {
  const before = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });
  if (before?.isDirectory()) throw new Error("it is a folder");
  if (isPipeOrDevice(path, before)) return before;
  if (before !== undefined) await access(path, constants.W_OK);
  await access(dirname(before === undefined ? path : await realpath(path)), constants.W_OK);
  return before;
}

/** Our own output may have been sent to a file, which must not be replaced. */
function isPipeOrDevice(path: string, before: Stats | undefined): boolean {
  return before?.isFile() === false || path.startsWith("/dev/");
}
