/** Looks up what references in a scenario name: answers, outputs, publishers. An error names the nearest earlier step. */

import { didYouMean, formatList } from "../../base/did-you-mean.ts";
import { shownName } from "../../base/text.ts";
import { fail, type Place } from "./place.ts";
import { isRequest, kindOf, type StepKind } from "./step-kind.ts";
import { type OutputShape, outputs, publisherList } from "./step-outputs.ts";
import type { PublisherRef, Step } from "./types.ts";

/** Notes a checked step, to which later ones may refer. `at`: where it is from here. */
export function noteStep(step: Step, place: Place, ...at: readonly string[]): void {
  const kind = kindOf(step);
  if (isRequest(kind)) place.scope.hasAnswer = true;
  if (step.as === undefined) return;
  const { names } = place.scope;
  if (names.has(step.as)) {
    fail(place, "is already the name of an earlier step. Choose another", ...at, "as");
  }
  names.set(step.as, kind);
}

export function checkPublisher(publisher: PublisherRef, place: Place): void {
  if (typeof publisher === "number") {
    checkOrdinal(publisher, place);
    return;
  }
  const kind = kindNamed(publisher, place, (one) => one === "signUp", "a signUp step");
  if (kind === "signUp") return;
  fail(place, `names ${article(kind)} step, but only a signUp step makes a publisher`);
}

export function checkAnswer(name: string, place: Place): void {
  const kind = kindNamed(name, place, isRequest, "a request");
  if (isRequest(kind)) return;
  fail(place, `names ${article(kind)} step, but only requests have an answer`);
}

/** What a path leads to; undefined if that isn't known. */
export function shapeAt(text: string, place: Place): OutputShape | undefined {
  const [name = "", ...path] = text.split(".");
  const [ordinal = ""] = path;
  if (name === "publishers" && /^\d+$/.test(ordinal)) checkOrdinal(Number(ordinal), place);
  let shape = name === "publishers" ? publisherList : outputNamed(name, place);
  let before = shownName(name);
  for (const part of path) {
    if (shape === undefined) return undefined;
    if (shape === "plain") return fail(place, `continues after ${before}, which is a plain value`);
    const element: OutputShape | undefined = "element" in shape ? shape.element : "plain";
    const isNumbered = "element" in shape || shape.areNumbered;
    const members = "members" in shape ? shape.members : {};
    if (isNumbered && !/^\d{1,9}$/.test(part)) {
      fail(place, `needs a number after ${before}, such as ${before}.0`);
    }
    if (!isNumbered && !Object.hasOwn(members, part)) {
      const names = Object.keys(members);
      const hint = didYouMean(part, names) || ` Members: ${formatList(names)}`;
      fail(place, `does not resolve: ${before} has no such member.${hint}`);
    }
    shape = isNumbered ? element : members[part];
    before = `${before}.${shownName(part)}`;
  }
  return shape;
}

function outputNamed(name: string, place: Place): OutputShape | undefined {
  const kind = kindNamed(name, place, (one) => outputs.has(one), "an earlier step");
  if (outputs.has(kind)) return outputs.get(kind);
  return fail(place, `names ${article(kind)} step, which has no output to refer to`);
}

function kindNamed(
  name: string,
  place: Place,
  isFitting: (kind: StepKind) => boolean,
  what: string,
): StepKind {
  const { names } = place.scope;
  const kind = names.get(name);
  if (kind !== undefined) return kind;
  const known = Array.from(names).flatMap(([one, its]) => (isFitting(its) ? [one] : []));
  const others =
    known.length === 0 ? " No earlier step has a name" : ` Names: ${formatList(known)}`;
  const hint = didYouMean(name, known) || others;
  return fail(place, `must begin with the name ("as") of ${what}.${hint}`);
}

function checkOrdinal(ordinal: number, place: Place): void {
  const { publishers } = place.scope;
  if (ordinal < publishers) return;
  const range = `the scenario has ${publishers}, from 0 to ${publishers - 1}`;
  fail(place, `names a publisher that doesn't exist: ${range}`);
}

function article(kind: StepKind): string {
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}
