/** Money as whole micro-INR. A fraction of an INR exists only in the text of a response body. */

declare const microsBrand: unique symbol;
/** A whole number of micro-INR: 1 INR = 1,000,000. */
export type Micros = number & { readonly [microsBrand]: true };

export const MICROS_PER_INR = 1_000_000;

/** The amount of this many micro-INR; the one constructor of `Micros`. */
export function micros(wholeMicros: number): Micros {
  return wholeMicros as Micros;
}

/** The exact decimal text of an amount in INR: no exponent, no trailing zero, at most six decimals. */
export function formatInr(amount: number): string {
  const whole = Math.floor(amount / MICROS_PER_INR);
  const fraction = amount - whole * MICROS_PER_INR;
  if (fraction === 0) return String(whole);
  const thousands = Math.floor(fraction / 1000);
  const rest = fraction - thousands * 1000;
  const padded = rest === 0 ? digits(thousands) : digits(thousands) + digits(rest);
  return `${whole}.${withoutTrailingZeros(padded)}`;
}

const known: string[] = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, "0"));

/** Three digits of a number below a thousand. */
function digits(value: number): string {
  return known[value] ?? "";
}

function withoutTrailingZeros(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === ZERO) end -= 1;
  return end === text.length ? text : text.slice(0, end);
}

const ZERO = 0x30;
