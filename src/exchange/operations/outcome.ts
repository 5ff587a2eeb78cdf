/** What a stage of the request path decides: go on with a value, or refuse. Each says which open points decided it. */

import type { AssumptionKey } from "../../spec/assumptions/catalogue.ts";
import type { Rejection } from "../../spec/errors.ts";

/** The open points whose other choices would have made another answer. Empty: the spec decides it alone. */
export type ShapedBy = readonly AssumptionKey[];

/** Decided by the spec alone. */
export const documented: ShapedBy = Object.freeze([]);

export interface Refusal {
  readonly kind: "refused";
  readonly rejection: Rejection;
  readonly shapedBy: ShapedBy;
}

/**
 * What a request did to the ledger.
 *
 * - `applied`: an event was written down.
 * - `suppressed`: it was a duplicate.
 * - `uncounted`: it was accepted, and there was nothing to write down.
 * - `read`: it asked for what is there.
 */
export type Effect = "applied" | "suppressed" | "uncounted" | "read";

/** What the journal says of a recording request that wasn't refused. */
export const notes = {
  recorded: "recorded",
  uncredited: "recorded, not credited",
  duplicate: "duplicate, not counted",
  unknownImpression: "unknown impression, not counted",
} as const;

/** Whether that is that an event was written down. */
export function isRecorded(reason: string): boolean {
  return reason === notes.recorded || reason === notes.uncredited;
}

/** A success. `body`: the response's JSON text. `note`: for the journal, what was done. `micros`: the credit it shows. */
export interface Success {
  readonly kind: "done";
  readonly body: string;
  /** Length of `body` in UTF-8. */
  readonly byteLength: number;
  readonly note: string;
  readonly shapedBy: ShapedBy;
  readonly effect: Effect;
  readonly micros: number;
}

export type Outcome = Success | Refusal;

/** `shapedBy`: beyond what the error's code says of itself (see `respond.ts`). */
export function refused(rejection: Rejection, ...shapedBy: ShapedBy): Refusal {
  return { kind: "refused", rejection, shapedBy };
}

/** What was asked for. The body is ASCII by construction: ids, dates, digits and the contract's own names. */
export function readSuccess(asciiBody: string, shapedBy: ShapedBy): Success {
  return recorded("read", 0, asciiBody, "read", shapedBy);
}

/** What was made of an event. Its body is ASCII likewise. */
export function recorded(
  effect: Effect,
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

/** The same decision, resting on more open points. */
export function alsoShapedBy<Decided extends Outcome>(decided: Decided, more: ShapedBy): Decided {
  if (more === documented || more.length === 0) return decided;
  return { ...decided, shapedBy: mergeShapedBy(more, decided.shapedBy) };
}

/** The keys of both, each once. Mostly one of the two is {@link documented}, and nothing is looked at or made. */
export function mergeShapedBy(left: ShapedBy, right: ShapedBy): ShapedBy {
  if (right === documented || right.length === 0) return left;
  if (left === documented || left.length === 0) return right;
  return Array.from(new Set([...left, ...right]));
}
