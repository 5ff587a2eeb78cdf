/** Money in whole micro-INR. Fractions of an INR exist only in the text of response bodies. */

declare const microsBrand: unique symbol;
/** A whole number of micro-INR: 1 INR = 1,000,000. */
export type Micros = number & { readonly [microsBrand]: true };

export const MICROS_PER_INR = 1_000_000;
/** 1 paisa in micro-INR. */
export const MICROS_PER_PAISA = 10_000;

/** The only constructor of `Micros`. */
export function micros(wholeMicros: number): Micros {
  return wholeMicros as Micros;
}

/** Converts an amount in INR, as bodies have it, to the nearest micro-INR. */
export function nearestMicros(inr: number): number {
  return Math.round(inr * MICROS_PER_INR);
}

/** The nearest number to the amount: below 2^33 INR it prints with exactly the amount's digits. */
export function microsToInr(micros: number): number {
  return micros / MICROS_PER_INR;
}

/** The exact decimal text, in INR, of an amount in micro-INR: no exponent, no trailing zeros, at most six decimals. */
export function formatInr(amount: number): string {
  return String(microsToInr(amount));
}

/** The amount rounded half up to whole paise. */
export function inWholePaise(amount: number): number {
  return Math.floor((amount + MICROS_PER_PAISA / 2) / MICROS_PER_PAISA) * MICROS_PER_PAISA;
}
