/** Reads text files, and writes them whole or not at all: into a temporary file in the same folder, which then replaces the old one. */

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
import { basename, dirname, join, resolve } from "node:path";
import { crypto } from "../server/builtins.ts";

/** The text, without a byte order mark. @throws Error if it isn't text; errors of the file system. */
export async function readText(path: string): Promise<string> {
  const bytes = await readFile(path);
  if (!isUtf8(bytes)) throw new Error("it is not text in UTF-8");
  return bytes.toString().replace(/^\ufeff/, "");
}

/** A text, or its parts if it may be longer than a string can be. */
export type Content = string | Iterable<string>;

/** Whether a file was created, replaced or written to. */
export type WriteOutcome = "made" | "replaced" | "written to";

/**
 * Writes a file. Links are followed, and a replaced file's mode stays. A pipe or a device, such as `/dev/stdout`, is written to.
 *
 * @param mode Of a new file, before the umask.
 * @throws Error for a folder; errors of the file system.
 */
export async function writeWholeFile(
  path: string,
  content: Content,
  mode = 0o666,
): Promise<WriteOutcome> {
  const { target, before } = await checked(path);
  if (target === undefined) {
    await appendFile(path, typeof content === "string" ? content : [...content].join(""));
    return "written to";
  }
  const temporary = join(dirname(target), `.adsim-${crypto().randomUUID()}.tmp`);
  try {
    await writeFile(temporary, "", { flag: "wx", mode });
    // Part by part: Yarn's file system (PnP) takes texts, but nothing that makes them.
    for (const part of typeof content === "string" ? [content] : content) {
      await appendFile(temporary, part);
    }
    if (before !== undefined) await chmod(temporary, before.mode & 0o7777);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return before === undefined ? "made" : "replaced";
}

/**
 * Checks that the file can be written, without changing anything.
 *
 * @returns the path that links lead to; undefined for a pipe or a device.
 * @throws Error for a folder; errors of the file system.
 */
export async function checkWritable(path: string): Promise<string | undefined> {
  return (await checked(path)).target;
}

/** Where links lead to, whether or not a file is there. */
async function endOfLinks(path: string): Promise<string> {
  const folder = await realpath(dirname(path)).catch(() => resolve(dirname(path)));
  return realpath(path).catch(() => join(folder, basename(path)));
}

async function checked(path: string): Promise<{
  readonly target: string | undefined;
  readonly before: Stats | undefined;
}> {
  const before = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (before?.isDirectory()) throw new Error("it is a folder");
  // Our own output may have been sent to a file, which must not be replaced.
  if (before?.isFile() === false || path.startsWith("/dev/")) return { target: undefined, before };
  const target = await endOfLinks(path);
  if (before !== undefined) await access(target, constants.W_OK);
  await access(dirname(target), constants.W_OK);
  return { target, before };
}
