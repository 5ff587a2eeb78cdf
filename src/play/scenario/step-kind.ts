/** The kinds of steps and expectations, each named by the key that marks it. Checks, player, counts and schemas all use these lists. */

import { assert } from "../../base/assert.ts";
import type { Expectation, RequestStep, Step } from "./types.ts";

export const stepKinds = [
  "impression",
  "click",
  "stats",
  "surfaces",
  "payouts",
  "raw",
  "advance",
  "traffic",
  "assume",
  "fault",
  "heal",
  "signUp",
  "setSurface",
  "rotateKey",
  "repeat",
  "parallel",
  // Last, because steps of other kinds may have this key too.
  "expect",
] as const;

export type StepKind = (typeof stepKinds)[number];

/** The kinds that send one request each. */
export const requestKinds = ["impression", "click", "stats", "surfaces", "payouts", "raw"] as const;

/** The kind of a checked step. */
export function kindOf(step: Step): StepKind {
  const kind = stepKinds.find((one) => Object.hasOwn(step, one));
  assert(kind !== undefined, "A step without a kind passed the checks.");
  return kind;
}

export type RequestKind = (typeof requestKinds)[number];

/** The type of steps of this kind, without the keys of other kinds. */
export type StepOf<Kind extends StepKind> = Kind extends RequestKind
  ? Omit<RequestStep, RequestKind> & { readonly [Key in Kind]: NonNullable<RequestStep[Key]> }
  : Extract<Step, { readonly [Key in Kind]: unknown }>;

export function isRequest(kind: StepKind): boolean {
  return requestKinds.some((one) => one === kind);
}

/** The keys that mark expectations. One without such a key is about an answer. */
export const expectationKeys = [
  "of",
  "stats",
  "surfaces",
  "payouts",
  "audit",
  "invariant",
] as const;

export type ExpectationKey = (typeof expectationKeys)[number];

export type ExpectationOf<Key extends ExpectationKey> = Extract<
  Expectation,
  { readonly [One in Key]: unknown }
>;

export type ReportExpectation =
  | ExpectationOf<"stats">
  | ExpectationOf<"surfaces">
  | ExpectationOf<"payouts">;

/** Whether it is about what the service reports. */
export function isReport(expectation: Expectation): expectation is ReportExpectation {
  return "is" in expectation && !("of" in expectation);
}
