/** Reads a JSON file that an option names. Errors name both. */

import { describeError } from "../../base/file-error.ts";
import { parseJson } from "../../base/parse-json.ts";
import { type CommandFailure, wrongUsage } from "../output/exit.ts";

export interface JsonFile {
  readonly value: unknown;
  /** @returns the error to throw if something in the file is wrong. */
  wrong(what: string): CommandFailure;
}

/** `expected`: a sentence that says what the file must contain. @throws CommandFailure that names option and file. */
export async function readJsonFile(
  option: string,
  file: string,
  expected: string,
): Promise<JsonFile> {
  const wrong = (what: string): CommandFailure => wrongUsage(`${option} ${file}: ${what}`);
  const json = await textOf(file).catch((error: unknown) => {
    throw wrong(`can't be read: ${describeError(error)}. Give the path of a JSON file.`);
  });
  if (json.trim() === "") throw wrong(`it is empty. ${expected}`);
  const value = parseJson(json, (mistake) => wrong(`it ${mistake}. ${expected}`));
  return { value, wrong };
}

async function textOf(file: string): Promise<string> {
  // Loaded on demand: most servers start without such a file, and loading the module takes a twentieth of their start.
  const { readFile } = await import("node:fs/promises");
  return await readFile(file, "utf8");
}
