/** Combines `--assume` with the file of `--assumptions`. An error names the one that it comes from. */

import { InputError } from "../../base/input.ts";
import { shownName } from "../../base/text.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import { type JsonFile, readJsonFile } from "./json-file.ts";

export interface AssumptionFlags {
  readonly assume?: Readonly<Record<string, string>>;
  /** A file with more choices. */
  readonly assumptions?: string;
}

type Chosen = Readonly<Record<string, string>>;

/** The choices that were given, and the complete assumptions that follow. */
export interface ChosenAssumptions {
  readonly chosen: Chosen;
  readonly inForce: Assumptions;
}

/**
 * The file's choices, overridden by `assume`.
 *
 * @throws InputError that names the invalid choice of `assume`, CommandFailure that names the file and what is wrong in
 * it.
 */
export async function readAssumptionFlags({
  assume = {},
  assumptions: file,
}: AssumptionFlags): Promise<ChosenAssumptions> {
  if (file === undefined) return { chosen: assume, inForce: resolveAssumptions(assume) };
  const read = await readJsonFile("--assumptions", file, EXPECTED);
  const chosen = { ...choicesIn(read), ...assume };
  try {
    return { chosen, inForce: resolveAssumptions(chosen) };
  } catch (error) {
    if (!(error instanceof InputError) || isAbout(error, assume)) throw error;
    throw read.wrong(error.message.replace(/^assumptions\./, ""));
  }
}

function isAbout({ field }: InputError, assume: Chosen): boolean {
  return Object.keys(assume).some((key) => field === `assumptions.${shownName(key)}`);
}

const CHOICES = 'an object of keys and choices, such as {"dedup.repeat": "conflict"}';
const EXPECTED = `It must be ${CHOICES}.`;

function choicesIn({ value, wrong: failure }: JsonFile): Chosen {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw failure(`it must have ${CHOICES}.`);
  }
  const wrong = Object.entries(value).find(([, choice]) => typeof choice !== "string");
  if (wrong !== undefined) {
    const [key] = wrong;
    throw failure(`the choice of ${JSON.stringify(key)} is not a string. ${EXPECTED}`);
  }
  // Checked above: every value is a text.
  return value as Chosen;
}
