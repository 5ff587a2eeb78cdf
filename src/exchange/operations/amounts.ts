/** How fine amounts are in response bodies (spec §2). Inside, money is whole micro-INR whatever is shown. */

import { formatInr, inWholePaise } from "../../base/money.ts";
import type { Assumptions, Choice } from "../../spec/assumptions/catalogue.ts";

/** Text that says an amount in micro-INR as a number of INR. */
export type AmountWriter = (micros: number) => string;

/** How an amount is written by one who writes what is exact. */
const precisions = {
  exact: (write) => write,
  paise: (write) => (micros) => write(inWholePaise(micros)),
} satisfies Record<Choice<"money.precision">, (write: AmountWriter) => AmountWriter>;

/** `exactly`: writes an amount as it is. */
export function amountWriterOf(
  assumptions: Assumptions,
  exactly: AmountWriter = formatInr,
): AmountWriter {
  return precisions[assumptions["money.precision"]](exactly);
}
