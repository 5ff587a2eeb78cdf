/** The precision of amounts in response bodies (spec §2). Internally money is always whole micro-INR. */

import { inWholePaise, microsToInr } from "../../base/money.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";

/** Turns an amount in micro-INR into a number of INR. JSON writes it with exactly its decimals. */
export function amountReaderOf(assumptions: Assumptions): (micros: number) => number {
  const isRounded = assumptions["money.precision"] === "paise";
  return isRounded ? (micros) => microsToInr(inWholePaise(micros)) : microsToInr;
}
