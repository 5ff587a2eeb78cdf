/** What is answered to an event: its id, and what was credited for it (spec §4). */

import { inrBetween } from "../../base/money.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import { amountWriterOf } from "./amounts.ts";

/** Writes the body of an answer. `micros`: the credit that it shows, in micro-INR. */
export type EventBodyWriter = (id: string, micros: number) => string;

export function createEventBodyWriter(
  idName: "impression_id" | "click_id",
  assumptions: Assumptions,
): EventBodyWriter {
  const begin = `{"ok":true,"${idName}":"`;
  const end = amountWriterOf(assumptions, inrBetween('","revenue_credited_inr":', "}"));
  return (id, micros) => begin + id + end(micros);
}
