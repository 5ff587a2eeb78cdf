/** Amounts in whole micro-INR, and as answers show them. */

import type { Choices } from "./choices.ts";

const MICROS_PER_PAISA = 10_000;

/** A shown amount in micros. */
export function microsOf(inr: number): number {
  return Math.round(inr * 1_000_000);
}

/** An amount in INR as answers show it. */
export function shownInr(micros: number, precision: Choices["money.precision"]): number {
  if (precision === "exact") return micros / 1_000_000;
  const paise = Math.floor(micros / MICROS_PER_PAISA);
  const up = (micros % MICROS_PER_PAISA) * 2 >= MICROS_PER_PAISA;
  return (up ? paise + 1 : paise) / 100;
}
