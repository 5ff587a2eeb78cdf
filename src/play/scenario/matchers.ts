/** The rules of matchers by name, and mistakes in matchers. At play time a misspelt rule or member would only look absent. */

import { didYouMean, unknownMember } from "../../base/did-you-mean.ts";
import { InputError, inField, isPlainObject } from "../../base/input.ts";
import { shownName } from "../../base/text.ts";
import { alternativesIn, definitionOf } from "./schema.ts";
import type { Indirect } from "./types.ts";

const rules = alternativesIn(definitionOf("MatchRule")).flatMap(({ required = [] }) => required);
const words = [...rules, "ref", "numbered", "daysAgo"];

/** Whether this is an object that stands for a value: a reference, a header, a numbered text, a date. */
export function isIndirect(value: unknown): value is Indirect {
  const forms = ["ref", "numbered", "daysAgo", "header,of", "of,header"];
  return isPlainObject(value) && forms.includes(Object.keys(value).join());
}

/** Which of the members of an object a matcher takes for a word of its own. */
export function wordIn(members: readonly string[]): string | undefined {
  if (members.length === 1 && words.includes(members.join())) return members[0];
  // Answers have members called `type` and `length`.
  const clear = words.filter((word) => word !== "type" && word !== "length");
  return members.find((name) => clear.some((word) => word.toLowerCase() === name.toLowerCase()));
}

/** @throws InputError for members that are meant as a rule. */
export function checkMembers(members: Readonly<Record<string, unknown>>): void {
  const word = wordIn(Object.keys(members));
  if (word === undefined) return;
  const hint = words.includes(word) ? "" : didYouMean(word, words);
  const says = 'a rule has one key. Use "between" for two bounds, "equals" for data like a rule';
  throw new InputError("", `has ${word}, but ${says}.${hint}`);
}

/** @throws InputError for members that the value never has. `known`: all that it can have; undefined if that isn't known. */
export function checkMatcher(matcher: unknown, known: readonly string[] | undefined): void {
  if (known === undefined || !isPlainObject(matcher) || isIndirect(matcher)) return;
  const names = Object.keys(matcher);
  if (names.join() === "not") inField("not", () => checkMatcher(matcher.not, known));
  if (names.length === 1 && rules.includes(names.join())) return;
  for (const [name, expected] of Object.entries(matcher)) {
    const isAbsent = isPlainObject(expected) && expected.absent === true;
    if (!known.includes(name) && !isAbsent)
      throw new InputError(shownName(name), unknownMember(name, known));
  }
}
