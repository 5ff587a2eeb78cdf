/** A JSON file that an option names. What is wrong is said of both, and repeats nothing of the file: keys may be in it. */

import { describeError } from "../../base/file-error.ts";
import { describeJsonError } from "../../base/json-error.ts";
import { repeatedMember } from "../../base/repeated-members.ts";
import { type CommandFailure, wrongUsage } from "../output/exit.ts";

export interface JsonFile {
  readonly value: unknown;
  /** The path of a member that an object in it has twice: `JSON.parse` keeps the last and says nothing. */
  readonly repeated: string | undefined;
  /** @returns what to throw for something that is wrong in it. */
  wrong(what: string): CommandFailure;
}

/** `expected`: a sentence that says what it must hold. @throws CommandFailure that names option and file. */
export async function readJsonFile(
  option: string,
  file: string,
  expected: string,
): Promise<JsonFile> {
  const wrong = (what: string): CommandFailure => wrongUsage(`${option} ${file}: ${what}`);
  const json = await textOf(file).catch((error: unknown) => {
    throw wrong(`can't be read: ${describeError(error)}. Give the path of a JSON file.`);
  });
  if (json.trim() === "") throw wrong(`is empty. ${expected}`);
  try {
    return { value: JSON.parse(json), repeated: repeatedMember(json), wrong };
  } catch (error) {
    throw wrong(`${describeJsonError(error)}. ${expected}`);
  }
}

async function textOf(file: string): Promise<string> {
  // Loaded here: most servers start without such a file, and Node takes a twentieth of their start for this module.
  const { readFile } = await import("node:fs/promises");
  // Some editors put a byte order mark before a text.
  return (await readFile(file, "utf8")).replace(/^\ufeff/, "");
}
