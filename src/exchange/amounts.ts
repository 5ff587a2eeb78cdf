/** How fine amounts are in response bodies (spec §2). Inside, money is whole micro-INR whatever is shown. */

import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import { formatInr, formatInrInPaise } from "../base/money.ts";

/** The text of an amount in micro-INR as a number of INR. */
export type AmountWriter = (micros: number) => string;

const writers = {
  exact: formatInr,
  paise: formatInrInPaise,
} satisfies Record<Choice<"money.precision">, AmountWriter>;

export function amountWriterOf(assumptions: Assumptions): AmountWriter {
  return writers[assumptions["money.precision"]];
}
