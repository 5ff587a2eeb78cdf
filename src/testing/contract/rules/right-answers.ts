/** Tells answers that the spec describes from others that look like a success (spec §2, §4). */

import { successMismatch } from "../../../spec/schema-mismatch.ts";
import { jsonOf, memberOf, type WireAnswer, type WireExchange } from "../../session/wire.ts";

/** Whether the client got a success that isn't what the spec describes. */
export function isWrongSuccess(exchange: WireExchange): boolean {
  const { status } = exchange.got;
  return status >= 200 && status < 300 && mismatchOf(exchange, exchange.got) !== undefined;
}

/** How a success differs from what the spec describes; undefined if it doesn't. */
export function mismatchOf(
  { operation, values }: WireExchange,
  answer: WireAnswer,
): string | undefined {
  if (answer.status !== 200) return `its status is ${answer.status}, and only 200 is a success`;
  return operation && successMismatch(operation, answer.body, values);
}

/** The bodies of the answer that the client got, and of the service's own, if they are right. */
export function rightAnswersIn(exchange: WireExchange): readonly unknown[] {
  return [exchange.got, exchange.served].flatMap((answer) =>
    answer === undefined || mismatchOf(exchange, answer) !== undefined ? [] : [jsonOf(answer)],
  );
}

/**
 * Whether a client that takes the spec at its word may reject this success: a transaction reference isn't text (spec §2), or
 * statistics of one surface have rows of others (spec §4). Some choices of the service allow both.
 */
export function mayBeRejected({ operation, values, got }: WireExchange): boolean {
  const body = jsonOf(got);
  if (operation === "payouts")
    return rowsOf(body, "payouts").some((row) => typeof memberOf(row, "txn_id") !== "string");
  const surface = values.get("surface");
  if (operation !== "stats" || surface === undefined) return false;
  return rowsOf(body, "surfaces").some((row) => memberOf(row, "id") !== surface);
}

function rowsOf(body: unknown, name: string): readonly unknown[] {
  const rows = memberOf(body, name);
  return Array.isArray(rows) ? rows : [];
}
