/** How much text a scenario makes the player and the world handle: what it sends, gets, compares and keeps. */

import { InputError } from "../../../base/input.ts";
import { countParts } from "../../../base/repeated-members.ts";
import { plannedArrivals } from "../../traffic/arrival-pattern.ts";
import type { Scenario, Step } from "../scenario.ts";
import { isRequest, kindOf } from "../step-kind.ts";

/** Characters of a request and its answer that take as long to send and keep as an empty request. */
const REQUEST_TEXT = 1024;
/** The same for a sign-up, whose names stay in the world and are copied and compared at the end. */
const SIGN_UP_TEXT = 8;
/** The same for an expectation: its characters times those that it is compared with. Elements of lists take longer. */
const COMPARED_TEXT = 524_288;
const COMPARED_LISTS = 4096;
/** Answers without long names have fewer characters. */
const USUAL_ANSWER = 16_384;
/** Of one publisher in an audit. */
const AUDIT_LINE = 1000;
/** Installing an object, a list or a member of a fault rule takes as long as handling so many characters. */
const PART_TEXT = 200;
/** Characters that a step may handle without a pause for other work. They take about a tenth of a second. */
const MAX_AT_ONCE: number = 8000 * REQUEST_TEXT;

/** Characters of the longest fault rule or sign-up: an answer may have as many. */
export function longestText({ steps, faults = [] }: Scenario): number {
  const lengths = faults.map(lengthOf);
  const look = (list: readonly Step[]): void => {
    for (const step of list) {
      if ("repeat" in step) look(step.repeat.steps);
      if ("fault" in step || "signUp" in step) lengths.push(lengthOf(step));
    }
  };
  look(steps);
  return lengths.reduce((longest, length) => Math.max(longest, length), 0);
}

/** In units of one empty request. `longest`: see {@link longestText}. */
export function textCostOf(step: Step, longest: number): number {
  if ("signUp" in step) return lengthOf(step) / SIGN_UP_TEXT;
  if ("traffic" in step) return (plannedArrivals(step.traffic) * longest) / REQUEST_TEXT;
  if ("parallel" in step) {
    const { times = 1, steps } = step.parallel;
    return times * steps.reduce((sum, one) => sum + textCostOf(one, longest), 0);
  }
  const compared = compareCost(step, longest);
  return isRequest(kindOf(step)) ? compared + requestText(step, longest) / REQUEST_TEXT : compared;
}

/** @throws InputError if the step may handle too much text at once. `at`: its place. */
export function checkTextAtOnce(step: Step, publishers: number, longest: number, at: string): void {
  if ("parallel" in step) {
    for (const [index, one] of step.parallel.steps.entries())
      checkTextAtOnce(one, publishers, longest, `${at}.parallel.steps.${index}`);
    return;
  }
  const answer = Math.max(longest, USUAL_ANSWER, AUDIT_LINE * publishers);
  const compared = compareCost(step, answer) * REQUEST_TEXT;
  const sent = isRequest(kindOf(step)) ? requestText(step, longest) : 0;
  const kept = "signUp" in step ? lengthOf(step) * (REQUEST_TEXT / SIGN_UP_TEXT) : 0;
  const installed = "fault" in step ? countParts(JSON.stringify(step)) * PART_TEXT : 0;
  if (compared + sent + kept + installed <= MAX_AT_ONCE) return;
  throw new InputError(
    at,
    "may handle too much text at once. Shorten it, the longest fault rule or sign-up, or its references to their texts",
    "too-much",
  );
}

/** Characters of a request and its answer, and of what its references may stand for. */
function requestText(step: Step, longest: number): number {
  const references = JSON.stringify(step).match(/"(?:ref|of)":/g)?.length ?? 0;
  return lengthOf(step) + (1 + references) * longest;
}

/** `answer`: the characters that the step's expectation may be compared with. */
function compareCost(step: Step, answer: number): number {
  if (!("expect" in step) || step.expect === undefined) return 0;
  const text = JSON.stringify(step.expect);
  const isOfLists = /"(?:every|some)":/.test(text);
  return (text.length * answer) / (isOfLists ? COMPARED_LISTS : COMPARED_TEXT);
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value).length;
}
