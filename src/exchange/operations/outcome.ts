/** What an operation decided: what happened and what the answer says. Not its bytes, and not which assumptions shaped it. */

import type { Effect } from "../../journal/entry.ts";
import type { ErrorCode, Rejection } from "../../spec/errors.ts";
import type { Input, OperationId } from "../../spec/operations.ts";
import type { Account } from "../../world/accounts/account.ts";
import type { Moment } from "../../world/ledger/book.ts";

/** The reasons in the journal for a request that wasn't refused. */
export const notes = {
  read: "read",
  recorded: "recorded",
  uncredited: "recorded, not credited",
  duplicate: "duplicate, not counted",
} as const;

export type Note = (typeof notes)[keyof typeof notes];

/** Whether the reason says that an event was recorded. */
export function isRecorded(reason: string): boolean {
  return reason === notes.recorded || reason === notes.uncredited;
}

export interface Done {
  readonly kind: "done";
  /** The answer, with its members in the order of the spec. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly reason: Note;
  readonly effect: Exclude<Effect, "refused">;
  /** The credit that the answer shows, in micro-INR. */
  readonly micros: number;
}

export interface Refusal extends Rejection {
  readonly kind: "refused";
  /** The methods that the path has, for a wrong method. */
  readonly methods?: readonly string[] | undefined;
  /** The exact wait until a request is admitted, for a refusal by the limit. */
  readonly waitMs?: number | undefined;
}

export type Outcome = Done | Refusal;

/** Carries out one operation. */
export type Operator<Id extends OperationId> = (
  input: Input<Id>,
  account: Account,
  moment: Moment,
) => Outcome;

/** `detail` is written for people. `parameter` is the invalid one. */
export function refused(code: ErrorCode, detail: string, parameter?: string): Refusal {
  return { kind: "refused", code, detail, ...(parameter !== undefined && { parameter }) };
}

/** The answer to a reading request. */
export function readSuccess(body: Done["body"]): Done {
  return { kind: "done", body, reason: notes.read, effect: "read", micros: 0 };
}
