/** The precision of amounts in response bodies (spec §2). Internally money is always whole micro-INR. */

import { inWholePaise, microsToInr } from "../../base/money.ts";
import type { Assumptions, Choice } from "../../spec/assumptions/catalogue.ts";

/** An amount in micro-INR as a number of INR. JSON writes it with exactly its decimals. */
export type AmountReader = (micros: number) => number;

const precisions = {
  exact: microsToInr,
  paise: (micros) => microsToInr(inWholePaise(micros)),
} satisfies Record<Choice<"money.precision">, AmountReader>;

export function amountReaderOf(assumptions: Assumptions): AmountReader {
  return precisions[assumptions["money.precision"]];
}
