/** What a step is: the one of its keys that says so. One list for whoever checks, plays, counts or describes steps. */

import type { RequestStep, Step } from "./scenario.ts";

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
  // Last: others may have one too.
  "expect",
] as const;

/** The keys that say what a step is. */
export type StepKind = (typeof stepKinds)[number];

/** Of steps that send one request each. */
export const requestKinds = ["impression", "click", "stats", "surfaces", "payouts", "raw"] as const;

/** What a step is that has been checked. */
export function kindOf(step: Step): StepKind {
  const kind = stepKinds.find((one) => Object.hasOwn(step, one));
  if (kind === undefined)
    throw new Error("A step of no kind was let pass. This is a bug in adsim.");
  return kind;
}

export type RequestKind = (typeof requestKinds)[number];

/** The type of steps of a kind, with that key alone. */
export type StepOf<Kind extends StepKind> = Kind extends RequestKind
  ? Omit<RequestStep, RequestKind> & { readonly [Key in Kind]: NonNullable<RequestStep[Key]> }
  : Extract<Step, { readonly [Key in Kind]: unknown }>;

export function isRequest(kind: StepKind): boolean {
  return requestKinds.some((one) => one === kind);
}
