/** Money as whole micro-INR. A fraction of an INR exists only in the text of a response body. */

import { decimal, threeDigits } from "./decimal.ts";

declare const microsBrand: unique symbol;
/** A whole number of micro-INR: 1 INR = 1,000,000. */
export type Micros = number & { readonly [microsBrand]: true };

export const MICROS_PER_INR = 1_000_000;
/** 1 paisa in micro-INR. */
export const MICROS_PER_PAISA = 10_000;

/** The amount of this many micro-INR; the one constructor of `Micros`. */
export function micros(wholeMicros: number): Micros {
  return wholeMicros as Micros;
}

/** An amount in INR, as bodies have it, to the nearest micro-INR. */
export function nearestMicros(inr: number): number {
  return Math.round(inr * MICROS_PER_INR);
}

/** The exact decimal text of an amount in INR: no exponent, no trailing zero, at most six decimals. */
export function formatInr(amount: number): string {
  const whole = Math.floor(amount / MICROS_PER_INR);
  const fraction = amount - whole * MICROS_PER_INR;
  if (fraction === 0) return decimal(whole);
  const thousandths = (fraction / 1000) | 0;
  const rest = fraction - thousandths * 1000;
  if (rest === 0) return decimal(whole) + lastDecimals[thousandths];
  return decimal(whole) + firstDecimals[thousandths] + lastDigits[rest];
}

/** What three digits look like behind each other: `.280`, `.28` where no other follow, and `28` behind others. */
const firstDecimals: readonly string[] = Array.from(
  { length: 1000 },
  (_, value) => `.${threeDigits(value)}`,
);
const lastDecimals: readonly string[] = firstDecimals.map((text) => text.replace(/0+$/, ""));
const lastDigits: readonly string[] = lastDecimals.map((text) => text.slice(1));

/** The amount rounded half up to whole paise, as decimal text: at most two decimals, no trailing zero. */
export function formatInrInPaise(amount: number): string {
  return formatInr(
    Math.floor((amount + MICROS_PER_PAISA / 2) / MICROS_PER_PAISA) * MICROS_PER_PAISA,
  );
}
