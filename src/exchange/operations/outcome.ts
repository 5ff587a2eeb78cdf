/** The decision of a stage of the request path: a success or a refusal, with the assumptions that shaped it. */

import type { Effect } from "../../journal/entry.ts";
import type { AssumptionKey } from "../../spec/assumptions/catalogue.ts";
import type { Rejection } from "../../spec/errors.ts";

/** The assumptions for which another choice would have changed this answer. Empty if the spec alone decides it. */
export type ShapedBy = readonly AssumptionKey[];

/** The spec alone decides it. */
export const documented: ShapedBy = Object.freeze([]);

export interface Refusal {
  readonly kind: "refused";
  readonly rejection: Rejection;
  readonly shapedBy: ShapedBy;
}

/** The effect of a request that wasn't refused. */
type SuccessEffect = Exclude<Effect, "refused">;

/** The reasons in the journal for a recording request that wasn't refused. */
export const notes = {
  recorded: "recorded",
  uncredited: "recorded, not credited",
  duplicate: "duplicate, not counted",
} as const;

/** Whether the reason says that an event was recorded. */
export function isRecorded(reason: string): boolean {
  return reason === notes.recorded || reason === notes.uncredited;
}

/** A success. `body` is the response's JSON, `note` the reason in the journal, `micros` the credit in the response. */
export interface Success {
  readonly kind: "done";
  readonly body: string;
  /** Length of `body` in UTF-8. */
  readonly byteLength: number;
  readonly note: string;
  readonly shapedBy: ShapedBy;
  readonly effect: SuccessEffect;
  readonly micros: number;
}

export type Outcome = Success | Refusal;

/** `shapedBy` doesn't need the assumptions of the error code, which `respond.ts` adds. */
export function refused(rejection: Rejection, ...shapedBy: ShapedBy): Refusal {
  return { kind: "refused", rejection, shapedBy };
}

/** The answer to a reading request. The body must be ASCII: ids, dates, digits and names of the spec. */
export function readSuccess(asciiBody: string, shapedBy: ShapedBy): Success {
  return recorded("read", 0, asciiBody, "read", shapedBy);
}

/** The answer to an event. The body must be ASCII. */
export function recorded(
  effect: SuccessEffect,
  micros: number,
  asciiBody: string,
  note: string,
  shapedBy: ShapedBy,
): Success {
  return {
    kind: "done",
    body: asciiBody,
    byteLength: asciiBody.length,
    note,
    shapedBy,
    effect,
    micros,
  };
}

/** The same decision, shaped by more assumptions. */
export function alsoShapedBy<Decided extends Outcome>(decided: Decided, more: ShapedBy): Decided {
  if (more === documented || more.length === 0) return decided;
  return { ...decided, shapedBy: mergeShapedBy(more, decided.shapedBy) };
}

/** The keys of both, each once. Allocates nothing in the usual case that one of them is {@link documented}. */
export function mergeShapedBy(left: ShapedBy, right: ShapedBy): ShapedBy {
  if (right === documented || right.length === 0) return left;
  if (left === documented || left.length === 0) return right;
  return Array.from(new Set([...left, ...right]));
}
