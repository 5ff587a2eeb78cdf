/** Reads the credited revenue from an answer's text without parsing all of it, because traffic has millions of answers. */

import { nearestMicros } from "../../base/money.ts";

const CREDITED = /"revenue_credited_inr"\s*:\s*(-?\d[\d.eE+-]*)/;

/** The credited revenue in micro-INR; 0 if the answer has none. */
export function creditedMicros(text: string): number {
  const micros = nearestMicros(Number(CREDITED.exec(text)?.[1] ?? 0));
  return Number.isNaN(micros) ? 0 : micros;
}
