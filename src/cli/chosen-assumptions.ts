/** What `--assume` and the file of `--assumptions` choose together. What is wrong is said of the one it came from. */

import { readFile } from "node:fs/promises";
import type { Assumptions } from "../assumptions/catalogue.ts";
import { resolveAssumptions } from "../assumptions/resolve.ts";
import { InputError } from "../base/input.ts";
import { shown } from "../base/shown.ts";
import { CommandFailure, exitCodes } from "./exit.ts";

type Chosen = Readonly<Record<string, string>>;

/** What was chosen by name, and the assumptions that follow. */
export interface ChosenAssumptions {
  readonly chosen: Chosen;
  readonly inForce: Assumptions;
}

/**
 * The file's choices with `assume` on top.
 *
 * @throws InputError that names what of `assume` is wrong, CommandFailure that names the file and what is wrong in it.
 */
export async function chosenAssumptions(
  assume: Chosen,
  file: string | undefined,
): Promise<ChosenAssumptions> {
  if (file === undefined) return { chosen: assume, inForce: resolveAssumptions(assume) };
  const chosen = { ...choicesIn(file, await textOf(file)), ...assume };
  try {
    return { chosen, inForce: resolveAssumptions(chosen) };
  } catch (error) {
    if (!(error instanceof InputError) || isAbout(error, assume)) throw error;
    throw failure(file, error.message.replace(/^assumptions\./, ""));
  }
}

function isAbout({ field }: InputError, assume: Chosen): boolean {
  return Object.keys(assume).some(
    (key) => field === `assumptions.${key.split(".").map(shown).join(".")}`,
  );
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw failure(file, `can't be read: ${why}. Give the path of a JSON file.`);
  }
}

const EXPECTED = 'an object of keys and choices, such as {"dedup.repeat": "conflict"}';

function choicesIn(file: string, text: string): Chosen {
  // Some editors put a byte order mark before a text.
  const json = text.replace(/^\ufeff/, "");
  const value = parsed(file, json);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw failure(file, `must hold ${EXPECTED}.`);
  }
  const wrong = Object.entries(value).find(([, choice]) => typeof choice !== "string");
  if (wrong !== undefined) {
    const [key] = wrong;
    throw failure(
      file,
      `must hold ${EXPECTED}. ${JSON.stringify(key)} has no text for its choice.`,
    );
  }
  const twice = repeatedName(json);
  if (twice !== undefined) {
    throw failure(file, `has ${JSON.stringify(twice)} more than once. Keep the one that you mean.`);
  }
  // Every value was found to be a text above.
  return value as Chosen;
}

/** A name that the object has twice: `JSON.parse` keeps the last and says nothing. */
function repeatedName(json: string): string | undefined {
  const names = new Set<string>();
  for (const [, name = "", colon] of json.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?/g)) {
    if (colon === undefined) continue;
    if (names.has(JSON.parse(name))) return JSON.parse(name);
    names.add(JSON.parse(name));
  }
  return undefined;
}

function parsed(file: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw failure(file, `is not JSON: ${why}. It must hold ${EXPECTED}.`);
  }
}

function failure(file: string, what: string): CommandFailure {
  return new CommandFailure(exitCodes.wrongUsage, `--assumptions ${file}: ${what}`);
}
