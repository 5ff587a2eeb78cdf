/** Tells answers that the spec describes from others that look like a success (spec §2, §4). */

import { jsonIn } from "../../../base/parse-json.ts";
import { successMismatch } from "../../../spec/schema-mismatch.ts";
import type { WireAnswer, WireExchange } from "../../session/wire-exchange.ts";

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
    answer === undefined || mismatchOf(exchange, answer) !== undefined ? [] : [jsonIn(answer.body)],
  );
}
