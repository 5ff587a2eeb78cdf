/** The kinds of steps and expectations, each named by the key that marks it. */

import { operationIds } from "../../spec/operations.ts";
import type { Expectation, RequestStep, Step } from "./types.ts";

const requestKinds = [...operationIds, "raw"] as const;
const worldKinds = ["advance", "assume", "fault", "heal"] as const;
const publisherKinds = ["signUp", "setSurface", "rotateKey"] as const;
const loadKinds = ["traffic", "repeat", "parallel"] as const;
const kinds = [...requestKinds, ...worldKinds, ...publisherKinds, ...loadKinds];

type RequestKind = (typeof requestKinds)[number];
export type StepKind = (typeof kinds)[number] | "expect";

/** The kind of a checked step. */
export function kindOf(step: Step): StepKind {
  return kinds.find((kind) => kind in step) ?? "expect";
}

/** Whether steps of this kind send one request each. */
export function isRequest(kind: StepKind): boolean {
  return requestKinds.some((one) => one === kind);
}

/** The type of steps of this kind, without the keys of other kinds. */
export type StepOf<Kind extends StepKind> = Kind extends RequestKind
  ? Omit<RequestStep, RequestKind> & { readonly [Key in Kind]: NonNullable<RequestStep[Key]> }
  : Extract<Step, { readonly [Key in Kind]: unknown }>;

export type ReportExpectation = Extract<
  Expectation,
  { readonly stats: unknown } | { readonly surfaces: unknown } | { readonly payouts: unknown }
>;

/** Whether it is about what the service reports. */
export function isReport(expectation: Expectation): expectation is ReportExpectation {
  return "is" in expectation && !("of" in expectation);
}
