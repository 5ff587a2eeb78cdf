/** Money in whole micro-INR. Fractions of an INR exist only in the text of response bodies. */

import { decimal, threeDigits } from "./decimal.ts";

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

/** The number of INR that is nearest to the amount: it prints with exactly the amount's digits. */
export function microsToInr(amount: number): number {
  return amount / MICROS_PER_INR;
}

/** The exact decimal text, in INR, of an amount in micro-INR: no exponent, no trailing zeros, at most six decimals. */
export function formatInr(amount: number): string {
  if (amount < MICROS_PER_INR) return amount === 0 ? "0" : decimalsOf(amount, fromZero);
  const whole = Math.floor(amount / MICROS_PER_INR);
  const rest = amount - whole * MICROS_PER_INR;
  return rest === 0 ? decimal(whole) : decimal(whole) + decimalsOf(rest, afterWhole);
}

/** The text of the first three decimals by their value: if more decimals follow, and if these are the last. */
interface Decimals {
  readonly followed: readonly string[];
  readonly last: readonly string[];
}

/** Decimals after a whole number: `.280` if more follow, otherwise `.28`. */
const afterWhole: Decimals = decimalsAfter("");
/** Decimals of an amount below 1 INR with the zero in front, which saves nearly every impression a concatenation. */
const fromZero: Decimals = decimalsAfter("0");
/** The fourth to sixth decimal without trailing zeros: 280 is `28`. */
const lastDigits: readonly string[] = afterWhole.last.map((text) => text.slice(1));

function decimalsAfter(whole: string): Decimals {
  const followed = Array.from({ length: 1000 }, (_, value) => `${whole}.${threeDigits(value)}`);
  return { followed, last: followed.map((text) => text.replace(/0+$/, "")) };
}

/** `rest` is the micro-INR above a whole number of INR, at least 1. */
function decimalsOf(rest: number, { followed, last }: Decimals): string {
  const thousandths = (rest / 1000) | 0;
  const digits = rest - thousandths * 1000;
  return digits === 0
    ? (last[thousandths] ?? "")
    : (followed[thousandths] ?? "") + (lastDigits[digits] ?? "");
}

/**
 * Returns a function that writes an amount, as {@link formatInr} does, between two fixed texts. Joins an amount below 1 INR
 * from two cached pieces: millions of responses are written this way.
 */
export function inrBetween(before: string, after: string): (amount: number) => string {
  // Filled on first use: up to the third decimal, and from the fourth on.
  const beginnings: string[] = new Array<string>(1000);
  const endings: string[] = new Array<string>(1000);
  return (amount) => {
    if (amount >= MICROS_PER_INR) return before + formatInr(amount) + after;
    const thousandths = (amount / 1000) | 0;
    const digits = amount - thousandths * 1000;
    if (digits === 0) return before + formatInr(amount) + after;
    beginnings[thousandths] ??= before + fromZero.followed[thousandths];
    endings[digits] ??= lastDigits[digits] + after;
    return beginnings[thousandths] + endings[digits];
  };
}

/** The amount rounded half up to whole paise. */
export function inWholePaise(amount: number): number {
  return Math.floor((amount + MICROS_PER_PAISA / 2) / MICROS_PER_PAISA) * MICROS_PER_PAISA;
}
