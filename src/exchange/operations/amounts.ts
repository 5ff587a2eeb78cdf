/** The precision of amounts in response bodies (spec §2). Internally money is always whole micro-INR. */

import { formatInr, inWholePaise } from "../../base/money.ts";
import type { Assumptions, Choice } from "../../spec/assumptions/catalogue.ts";

/** Writes an amount in micro-INR as a number of INR. */
export type AmountWriter = (micros: number) => string;

const precisions = {
  exact: (write) => write,
  paise: (write) => (micros) => write(inWholePaise(micros)),
} satisfies Record<Choice<"money.precision">, (write: AmountWriter) => AmountWriter>;

/** `exactly` writes an amount without rounding. */
export function amountWriterOf(
  assumptions: Assumptions,
  exactly: AmountWriter = formatInr,
): AmountWriter {
  return precisions[assumptions["money.precision"]](exactly);
}
