/** What an operation's answer must be, before the answer is looked at. */

import { expectEqual } from "./check.ts";
import type { Facts, Figures } from "./facts.ts";
import { microsOf, shownInr } from "./money.ts";
import type { Readings } from "./readings.ts";

/** A success body. `exact`: the same where amounts aren't rounded: prices are learned from it. */
export interface Answer {
  readonly text: string;
  readonly body: Body;
  readonly exact: Body;
}

/** JSON that was parsed: each check says what it must hold, so nothing is known of it before. */
export type Body = ReturnType<typeof JSON.parse>;

export type Expectation =
  | { readonly kind: "refused"; readonly code: string }
  /** Holds the body against what is known, and learns what only it can say. */
  | { readonly kind: "success"; check(answer: Answer): void };

/** What the judges of the operations have in common. */
export interface OracleContext {
  readonly readings: Readings;
  readonly facts: Facts;
  readonly history: History;
  /** Told of the interesting places. */
  readonly sometimes: (place: string) => void;
}

/** Figures of the days before the world's start, from a simulator that nothing was recorded in. */
export type History = (
  publisherId: string,
  range: { readonly from: string; readonly to: string; readonly surface?: string },
) => Figures;

export function refused(code: string): Expectation {
  return { kind: "refused", code };
}

export function success(check: (answer: Answer) => void): Expectation {
  return { kind: "success", check };
}

/** Holds a shown amount against the exact one. */
export function checkAmount(
  what: string,
  shown: unknown,
  micros: number,
  context: OracleContext,
): void {
  const precision = context.readings["money.precision"];
  if (precision === "paise" && micros % 10_000 !== 0) {
    context.sometimes(micros % 10_000 >= 5000 ? "an amount rounded up" : "an amount rounded down");
  }
  expectEqual(what, shown, shownInr(micros, precision));
}

/** The credit that an answer names, to the micro. */
export function creditOf({ exact }: Answer): number {
  return microsOf(exact.revenue_credited_inr);
}
