/** Reads the credited revenue from an answer's text without parsing all of it, because traffic has millions of answers. */

import { nearestMicros } from "../../base/money.ts";

const MEMBER = '"revenue_credited_inr":';
const ANY_NUMBER = /"revenue_credited_inr"\s*:\s*(-?\d[\d.eE+-]*)/;

/** The credited revenue in micro-INR; 0 if the answer has none. */
export function creditedMicros(text: string): number {
  const at = text.indexOf(MEMBER);
  return at === -1 ? creditedOtherwise(text) : plainMicros(text, at + MEMBER.length);
}

/** Reads a number as adsim writes it: digits, and at most six decimals. */
function plainMicros(text: string, from: number): number {
  let micros = 0;
  let decimals = -1;
  for (let index = from; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x2e) decimals = 0;
    else if (code >= 0x30 && code <= 0x39) {
      micros = micros * 10 + (code - 0x30);
      if (decimals >= 0) decimals += 1;
    } else if (code === 0x2c || code === 0x7d) break;
    else return creditedOtherwise(text);
  }
  if (decimals > 6) return creditedOtherwise(text);
  for (let missing = 6 - Math.max(decimals, 0); missing > 0; missing -= 1) micros *= 10;
  return micros;
}

/** Other services may write spaces, exponents, and any number of decimals. */
function creditedOtherwise(text: string): number {
  const micros = nearestMicros(Number(ANY_NUMBER.exec(text)?.[1] ?? 0));
  return Number.isNaN(micros) ? 0 : micros;
}
