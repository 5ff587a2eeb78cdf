/** The answer to an event: its id and its credit (spec §4). */

import { inrBetween } from "../../base/money.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import { amountWriterOf } from "./amounts.ts";

/** Writes the body of an answer. `micros` is the credit in micro-INR. */
export type EventBodyWriter = (id: string, micros: number) => string;

export function createEventBodyWriter(
  idName: "impression_id" | "click_id",
  assumptions: Assumptions,
): EventBodyWriter {
  const begin = `{"ok":true,"${idName}":"`;
  const end = amountWriterOf(assumptions, inrBetween('","revenue_credited_inr":', "}"));
  return (id, micros) => begin + id + end(micros);
}
