/** The laws of shape (H1 to H4). */

import { headerOf } from "../exchange/headers.ts";
import type { JournalEntry } from "../journal/entry.ts";
import { successSchemas } from "../spec/openapi/openapi-successes.ts";
import { type OperationId, operationIds, operations } from "../spec/operations.ts";
import { lenientSchemas } from "../spec/responses.ts";
import { bodyMismatch } from "../spec/schema-mismatch.ts";
import type { ClientExchange } from "./client-exchange.ts";
import {
  ensure,
  inconclusive,
  knownReadingsOf,
  type Law,
  type LawContext,
  readingsOf,
} from "./law.ts";
import { operationOf, ownAnswers } from "./read-trace.ts";
import { copyOf, freshKey, outgoingOf, sendIn, type Values, type WorldCopy } from "./world-copy.ts";

export const shapeLaws: readonly Law[] = [
  {
    id: "H1",
    says: "Every success matches the API's OpenAPI document.",
    checkTrace: documentedAnswers,
  },
  {
    id: "H2",
    says: "Only a fault rule makes a 5xx or a broken answer.",
    checkTrace: unscriptedFailures,
  },
  { id: "H3", says: "No answer repeats the key that was sent.", checkTrace: echoedKeys },
  {
    id: "H4",
    says: "HEAD gets the answer of GET without its body, and 405 names the methods.",
    checkCopy: [headMatchesGet, wrongMethods],
  },
];

function documentedAnswers(played: LawContext): string {
  const { trace } = played;
  const readings = knownReadingsOf(played);
  const schemas = readings === undefined ? lenientSchemas : successSchemas(readings);
  let looked = 0;
  for (const exchange of ownAnswers(played)) {
    // Answers under earlier assumptions follow another document.
    if (
      exchange.at < (trace.assumedAt ?? 0) ||
      exchange.status !== 200 ||
      exchange.method === "HEAD"
    )
      continue;
    const operation = operationOf(exchange);
    if (operation === undefined) continue;
    looked += 1;
    const misfit = bodyMismatch(schemas[operation], exchange.text);
    ensure(misfit === undefined, () => `${exchange.method} ${exchange.path}: ${misfit}`);
  }
  return looked === 0 ? inconclusive("no operation was successful") : `${looked} successes`;
}

function unscriptedFailures(played: LawContext): string {
  const { trace, isExactTime } = played;
  const { unscripted, scripted, exhausted, unanswered, total } = trace;
  if (total === 0) inconclusive("nothing was sent");
  // The statuses of another service's errors are left open (spec §7).
  readingsOf(played);
  ensure(
    unscripted.count === 0,
    () => `${unscripted.count} answers that no fault rule makes, the first: ${unscripted.first}`,
  );
  // The status of a limit's refusal is known only if the assumptions are, and never changed.
  const isKnown = trace.assumedAt === undefined;
  const mayBe503 = !isKnown || readingsOf(played)["limit.exceeded"] === "503";
  const isRules = trace.disturbedFrom < total;
  ensure(
    exhausted.count === 0 || mayBe503 || isRules,
    () => `${exhausted.count} answers with 503, the first: ${exhausted.first}`,
  );
  if (unanswered.count > 0 && !isExactTime)
    inconclusive(`${unanswered.count} answers were lost or damaged, possibly by the network`);
  ensure(
    unanswered.count === 0,
    () =>
      `${unanswered.count} answers were lost or damaged without a rule in force, the first: ${unanswered.first}`,
  );
  if (scripted.count > 0) ensureWrittenByRules(played);
  return `the answers to ${total} requests`;
}

/** Checks that rules wrote every 5xx: the journal must hold as many from rules as the client saw. */
function ensureWrittenByRules({ trace, journal }: LawContext): void {
  const entries = journal();
  const isService = ({ producedBy, response }: JournalEntry): boolean =>
    producedBy === "service" && response.status >= 500;
  const own = entries.find(isService);
  ensure(
    own === undefined,
    () =>
      `the service itself answered ${own?.request.method} ${own?.request.path} with ${own?.response.status}`,
  );
  if (entries[0]?.sequence !== 1)
    inconclusive("the journal no longer holds all requests, so it can't say which 5xx rules wrote");
  const written = entries.filter(({ response }) => response.status >= 500).length;
  const seen = trace.scripted.count + trace.exhausted.count;
  ensure(
    seen <= written,
    () => `the client saw ${seen} answers with 5xx, the service made ${written}`,
  );
}

function echoedKeys(played: LawContext): string {
  // What another service's errors say is left open (spec §7).
  readingsOf(played);
  const { trace } = played;
  const { echoes, kept } = trace;
  ensure(
    echoes.count === 0,
    () => `${echoes.count} answers repeat the key, the first: ${echoes.first}`,
  );
  const looked = kept.filter(
    ({ headers, status }, at) =>
      headerOf(headers, "authorization") !== undefined && status !== 0 && at < trace.scriptedFrom,
  ).length;
  return looked === 0 ? inconclusive("the service made none of the answers") : `${looked} answers`;
}

function headMatchesGet(played: LawContext): string {
  const copy = copyOf(played);
  for (const operation of operationIds) {
    if (operations[operation].method !== "GET") continue;
    for (const from of ["2024-02-29", "2026-02-30"]) {
      const got = sendAs(copy, "GET", operation, { from });
      const head = sendAs(copy, "HEAD", operation, { from });
      const [left, right] = [got, head].map(({ status, headers }) =>
        JSON.stringify([status, headers]),
      );
      ensure(left === right, () => `${operation}: GET has ${left}, HEAD ${right}`);
      ensure(head.text === "", () => `${operation}: HEAD has the body ${head.text}`);
    }
  }
  return "GET and HEAD of three operations, in a copy of the world";
}

function wrongMethods(played: LawContext): string {
  const copy = copyOf(played);
  for (const operation of operationIds) {
    const { method, path } = operations[operation];
    const { status, headers } = sendAs(copy, "PUT", operation, {});
    const found = `${status} ${headers.allow ?? "without Allow"}`;
    const expected = `405 ${method === "GET" ? "GET, HEAD" : method}`;
    ensure(found === expected, () => `PUT ${path} got ${found}, not ${expected}`);
  }
  return "a wrong method on every path, in a copy of the world";
}

/** Sends with a new key each time, so that all answers show the same quota. */
function sendAs(
  copy: WorldCopy,
  method: string,
  operation: OperationId,
  values: Values,
): ClientExchange {
  const [probe] = copy.probes;
  const outgoing = outgoingOf({ id: probe.id, apiKey: freshKey(copy, probe) }, operation, values);
  const answer = sendIn(copy.sim, { ...outgoing, request: { ...outgoing.request, method } });
  return answer.outcome === "answered" ? answer : inconclusive(`${method} was ${answer.outcome}`);
}
