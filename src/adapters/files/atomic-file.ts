/**
 * Writes files completely or not at all. The new content goes into a temporary file in the same folder, which then replaces
 * the old file. Links are followed, and the mode and owner of the old file stay.
 */

import { fstatSync, type Stats, writeSync } from "node:fs";
import {
  access,
  constants,
  copyFile,
  link,
  open,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { crypto } from "../server/builtins.ts";

/** A text, or its parts if it may be longer than a string can be. */
export type Content = string | Iterable<string>;

/** Whether a file was created, replaced or written to. */
export type WriteOutcome = "made" | "replaced" | "written to";

/** Mode of a new file, before the umask. */
const DEFAULT_MODE = 0o666;

/**
 * Writes a file. A regular file stays as it is until the new content is complete on disk. A pipe or a character device, such
 * as `/dev/stdout`, is written to.
 *
 * @throws Error for a folder, a socket or a block device; errors of the file system.
 */
export async function writeFileAtomically(
  path: string,
  content: Content,
  mode: number = DEFAULT_MODE,
): Promise<WriteOutcome> {
  const { target, before } = await writeTargetOf(path);
  if (before?.isFile() === false) {
    await writeFile(target, content);
    return "written to";
  }
  const standard = standardStreamOf(before);
  if (standard !== undefined) {
    for (const part of typeof content === "string" ? [content] : content) writeSync(standard, part);
    return "written to";
  }
  const temporary = await openTemporary(target, before, mode);
  if (temporary === undefined) {
    await writeFile(target, content);
    return "replaced";
  }
  const { name, file } = temporary;
  try {
    try {
      if (before !== undefined) await takeAttributes(file, before);
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await putInPlace(name, target, before);
  } finally {
    await rm(name, { force: true }).catch(() => undefined);
  }
  return before === undefined ? "made" : "replaced";
}

/**
 * Checks that the file can be written, without changing anything.
 *
 * @returns the path that links lead to; undefined for anything but a regular file.
 * @throws Error as {@link writeFileAtomically} does.
 */
export async function checkWritable(path: string): Promise<string | undefined> {
  const { target, before } = await writeTargetOf(path);
  if (before?.isFile() === false) return undefined;
  const temporary = await openTemporary(target, before, DEFAULT_MODE);
  await temporary?.file.close();
  if (temporary !== undefined) await rm(temporary.name);
  return target;
}

/** The name of a file that doesn't exist yet, for content that isn't complete. */
export function temporaryPathIn(folder: string): string {
  return join(folder, `.adsim-${crypto().randomUUID()}.tmp`);
}

/** Matches the names that {@link temporaryPathIn} makes, without the folder. */
export const temporaryNamePattern: RegExp =
  /^\.adsim-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/** Renames a file in one step. @returns false if that name is taken; then both files stay. */
export async function moveToFreeName(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to).catch((error: unknown) => {
      // Some file systems have no hard links.
      if (codeOf(error) === "EEXIST" || codeOf(error) === "ENOENT") throw error;
      return copyFile(from, to, constants.COPYFILE_EXCL);
    });
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
  await rm(from, { force: true });
  return true;
}

/** The code of an error of the file system. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

interface WriteTarget {
  /** Where links lead to. */
  readonly target: string;
  readonly before: Stats | undefined;
}

async function writeTargetOf(path: string): Promise<WriteTarget> {
  const before = await stat(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (before === undefined) return { target: await endOfLinks(path), before };
  if (before.isDirectory()) throw new Error("it is a folder");
  if (before.isFIFO() || before.isCharacterDevice()) return { target: path, before };
  if (!before.isFile()) throw new Error("it is not a regular file");
  await access(path, constants.W_OK);
  return { target: await realpath(path), before };
}

/** As many as Linux follows. */
const MAX_LINKS = 40;

/** Where links lead to, whether or not a file is there. Links may lead round in a circle. */
export async function endOfLinks(path: string, links = 0): Promise<string> {
  const next = links < MAX_LINKS ? await readlink(path).catch(() => undefined) : undefined;
  const folder = await realpath(dirname(path)).catch(() => resolve(dirname(path)));
  return next === undefined
    ? join(folder, basename(path))
    : endOfLinks(resolve(folder, next), links + 1);
}

/** The file of our own output, as in `--report json=/dev/stdout > FILE`. If we replaced it, later output would be lost. */
function standardStreamOf(before: Stats | undefined): number | undefined {
  return [1, 2].find((stream) => {
    const { dev, ino } = fstatSync(stream);
    return dev === before?.dev && ino === before.ino;
  });
}

interface Temporary {
  readonly name: string;
  readonly file: Awaited<ReturnType<typeof open>>;
}

/** @returns undefined if only the file itself may be written, such as one that is mounted into a container. */
async function openTemporary(
  target: string,
  before: Stats | undefined,
  mode: number,
): Promise<Temporary | undefined> {
  const name = temporaryPathIn(dirname(target));
  try {
    return { name, file: await open(name, "wx", before === undefined ? mode : 0o600) };
  } catch (error) {
    if (before === undefined || !isFolderError(error)) throw error;
    return undefined;
  }
}

async function takeAttributes(file: Temporary["file"], { uid, gid, mode }: Stats): Promise<void> {
  const own = await file.stat();
  // Only root may change a file's owner.
  if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid).catch(() => undefined);
  await file.chmod(mode & 0o7777);
}

async function putInPlace(
  temporary: string,
  target: string,
  before: Stats | undefined,
): Promise<void> {
  try {
    await rename(temporary, target);
  } catch (error) {
    if (before === undefined || !isFolderError(error)) throw error;
    await copyFile(temporary, target);
  }
}

function isFolderError(error: unknown): boolean {
  return ["EACCES", "EPERM", "EBUSY", "EROFS"].includes(codeOf(error) ?? "");
}
