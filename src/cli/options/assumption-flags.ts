/** Combines `--assume` with the file of `--assumptions`. An error names the one that it comes from. */

import { readFile } from "node:fs/promises";
import { describeError } from "../../base/file-error.ts";
import { InputError, isPlainObject } from "../../base/input.ts";
import { parseJson } from "../../base/parse-json.ts";
import {
  type AssumptionKey,
  type Assumptions,
  catalogue,
} from "../../spec/assumptions/catalogue.ts";
import { keyHint, resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import { wrongUsage } from "../output/exit.ts";

type Chosen = Readonly<Record<string, string>>;

interface AssumptionFlags {
  readonly assume?: Chosen;
  /** A file with more choices. */
  readonly assumptions?: string;
}

/**
 * The file's choices, overridden by `assume`, and the complete assumptions that follow.
 *
 * @throws InputError that names the invalid choice of `assume`; CommandFailure that names the file and what is wrong in it.
 */
export async function readAssumptionFlags({
  assume = {},
  assumptions: file,
}: AssumptionFlags): Promise<{ readonly chosen: Chosen; readonly inForce: Assumptions }> {
  const inForce = resolveAssumptions(assume);
  if (file === undefined) return { chosen: assume, inForce };
  const read = await jsonFile("--assumptions", file, EXPECTED);
  const wrong = (what: string): Error => wrongUsage(`--assumptions ${file}: ${what}`);
  if (!isPlainObject(read)) throw wrong(EXPECTED);
  try {
    resolveAssumptions(read);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw wrong(error.message.replace(/^assumptions\./, ""));
  }
  // Checked: every value is a text.
  const chosen = { ...(read as Chosen), ...assume };
  return { chosen, inForce: resolveAssumptions(chosen) };
}

const EXPECTED = 'It must be an object of keys and choices, such as {"dedup.repeat": "conflict"}.';

/** `subject` names the place of the text in messages. @throws CommandFailure if the text isn't a key. */
export function knownKey(subject: string, text: string): AssumptionKey {
  if (Object.hasOwn(catalogue, text)) return text as AssumptionKey;
  throw wrongUsage(`${subject} ${JSON.stringify(text)} is not an assumption.${keyHint(text)}`);
}

/** The JSON in a file that an option names. `expected`: says what it must be. @throws CommandFailure that names both. */
export async function jsonFile(option: string, file: string, expected: string): Promise<unknown> {
  const wrong = (what: string): Error => wrongUsage(`${option} ${file}: ${what}`);
  const json = await readFile(file, "utf8").catch((error: unknown) => {
    throw wrong(`can't be read: ${describeError(error)}. Give the path of a JSON file.`);
  });
  return parseJson(json, (mistake) => wrong(`it ${mistake}. ${expected}`));
}
