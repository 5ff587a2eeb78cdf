/** The invariant of shape (H1). */

import { headerOf } from "../exchange/plain-request.ts";
import { operations } from "../spec/operations.ts";
import { lenientSchemas, responseSchemas } from "../spec/responses.ts";
import { bodyMismatch } from "../spec/schema-mismatch.ts";
import { ensure, inconclusive } from "./ensure.ts";
import type { Invariant } from "./invariant.ts";
import type { Log } from "./log.ts";
import { operationOf, ownAnswers, valuesOf } from "./read-trace.ts";
import type { TracedExchange, TraceReader } from "./trace.ts";

export const shapeInvariants: readonly Invariant[] = [
  {
    id: "H1",
    says: "Every success matches the API's OpenAPI document, and only a fault rule makes a 5xx.",
    seen: documentedAnswers,
  },
];

function documentedAnswers(log: Log): string {
  const { trace, assumptions } = log;
  if (assumptions === undefined) mistakesRefused(log);
  else noFailures(trace, assumptions["limit.exceeded"] === "503");
  const additionalProperties = assumptions?.["response.form"] === "evolved";
  const schemas = assumptions
    ? responseSchemas(assumptions, { additionalProperties })
    : lenientSchemas;
  let looked = 0;
  for (const exchange of ownAnswers(log)) {
    const { at, method, path, status, text } = exchange;
    // Answers under earlier assumptions follow another document.
    if (at < (trace.assumedAt ?? 0) || status !== 200 || method === "HEAD") continue;
    const operation = operationOf(exchange);
    if (operation === undefined) continue;
    looked += 1;
    const misfit = bodyMismatch(schemas[operation], text);
    ensure(misfit === undefined, () => `${method} ${path}: ${misfit}`);
  }
  return looked === 0 ? inconclusive("no operation was successful") : `${looked} successes`;
}

function noFailures(trace: TraceReader, limitsWith503: boolean): void {
  const { unscripted, exhausted, assumedAt, disturbedFrom, total } = trace;
  ensure(
    unscripted.count === 0,
    () => `${unscripted.count} answers that no fault rule makes, the first: ${unscripted.first}`,
  );
  // Under an earlier choice the limit may have answered with 503, and so may a rule.
  const mayBe503 = limitsWith503 || assumedAt !== undefined || disturbedFrom < total;
  ensure(
    exhausted.count === 0 || mayBe503,
    () => `${exhausted.count} answers with 503, the first: ${exhausted.first}`,
  );
}

/** Another service may fail at any time, but a client's mistake isn't a failure (spec §7). */
function mistakesRefused(log: Log): void {
  for (const exchange of ownAnswers(log)) {
    const { method, path, status, text } = exchange;
    ensure(
      status < 500 || !isMistake(exchange),
      () => `${method} ${path} with a mistake of the client's got ${status} ${text.slice(0, 200)}`,
    );
  }
}

/** Whether no service can do what is asked: there is no key, or a required parameter is missing. */
function isMistake(exchange: TracedExchange): boolean {
  const operation = operationOf(exchange);
  if (operation === undefined) return false;
  const values = valuesOf(exchange);
  const isIncomplete = Object.entries(operations[operation].parameters).some(
    ([name, { required }]) => required && !values.has(name),
  );
  return isIncomplete || headerOf(exchange.headers, "authorization") === undefined;
}
