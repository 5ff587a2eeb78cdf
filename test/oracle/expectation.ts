/** Expectations of an operation's answer, formed before the answer is read. */

import { expectEqual } from "./check.ts";
import type { Choices } from "./choices.ts";
import type { Facts, Figures } from "./facts.ts";
import { microsOf, shownInr } from "./money.ts";

/** A success body. `exact` is the same body without rounding: the oracle learns prices from it. */
export interface Answer {
  readonly text: string;
  readonly body: Body;
  readonly exact: Body;
}

/** Parsed JSON of any shape: the checks decide what it must have. */
export type Body = ReturnType<typeof JSON.parse>;

export interface Refused {
  readonly kind: "refused";
  readonly code: string;
}

export type Expectation =
  | Refused
  /** `check` compares the body with the facts, and learns new facts from it. */
  | { readonly kind: "success"; check(answer: Answer): void };

/** Shared by the expectations of all operations. */
export interface OracleContext {
  readonly choices: Choices;
  readonly facts: Facts;
  readonly history: History;
  /** Called at interesting places. */
  readonly sometimes: (place: string) => void;
}

/** The seeded history: figures from a simulator in which nothing was recorded. */
export type History = (
  publisherId: string,
  range: { readonly from: string; readonly to: string; readonly surface?: string },
) => Figures;

export function refused(code: string): Refused {
  return { kind: "refused", code };
}

export function success(check: (answer: Answer) => void): Expectation {
  return { kind: "success", check };
}

/** Compares a shown amount with the exact one. */
export function checkAmount(
  what: string,
  shown: unknown,
  micros: number,
  context: OracleContext,
): void {
  const precision = context.choices["money.precision"];
  if (precision === "paise" && micros % 10_000 !== 0) {
    context.sometimes(micros % 10_000 >= 5000 ? "an amount rounded up" : "an amount rounded down");
  }
  expectEqual(what, shown, shownInr(micros, precision));
}

/** The credit in an answer, in micros. */
export function creditOf({ exact }: Answer): number {
  return microsOf(exact.revenue_credited_inr);
}
