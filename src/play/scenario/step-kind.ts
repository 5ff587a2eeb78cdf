/** The kinds of steps and expectations, each named by the key that marks it. */

import { type OperationId, operationIds } from "../../spec/operations.ts";
import type { Expectation, RequestStep, Step } from "./types.ts";

/** The kinds that send one request each. */
export type RequestKind = OperationId | "raw";

type KeysOf<One> = One extends unknown ? keyof One : never;
/** Keys that mark no kind. A step of only these is an `expect`. */
type OptionKey = Exclude<keyof RequestStep, RequestKind>;
export type StepKind = RequestKind | Exclude<KeysOf<Step>, OptionKey> | "expect";

const options = ["as", "note", "publisher", "key", "encoding", "headers", "timeout", "expect"];

/** The kind of a checked step. */
export function kindOf(step: Step): StepKind {
  const mark = Object.keys(step).find((key) => !options.includes(key));
  return (mark ?? "expect") as StepKind;
}

/** The type of steps of this kind, without the keys of other kinds. */
export type StepOf<Kind extends StepKind> = Kind extends RequestKind
  ? Omit<RequestStep, RequestKind> & { readonly [Key in Kind]: NonNullable<RequestStep[Key]> }
  : Extract<Step, { readonly [Key in Kind]: unknown }>;

export function isRequest(kind: StepKind): boolean {
  return kind === "raw" || operationIds.some((one) => one === kind);
}

export type ReportExpectation = Extract<
  Expectation,
  { readonly stats: unknown } | { readonly surfaces: unknown } | { readonly payouts: unknown }
>;

/** Whether it is about what the service reports. */
export function isReport(expectation: Expectation): expectation is ReportExpectation {
  return "is" in expectation && !("of" in expectation);
}
