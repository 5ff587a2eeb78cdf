/** The laws of shape (H1 to H4). */

import type { JournalEntry } from "../../journal/entry.ts";
import { successSchemas } from "../../spec/openapi/openapi-successes.ts";
import { type OperationId, operations } from "../../spec/operations.ts";
import { type JsonSchema, responseSchemas } from "../../spec/responses.ts";
import { type Exchange, type Playing, perform } from "../player/effects.ts";
import { asideOf, freshKey, outgoingOf, sendAside, type Values } from "./aside.ts";
import {
  type Evidence,
  type Invariant,
  invariant,
  notKnown,
  readingsOf,
  require,
} from "./evidence.ts";
import { operationOf, ownAnswers } from "./reading.ts";
import { misfitOf } from "./schema.ts";

export const shape: readonly Invariant[] = [
  invariant("H1", "Every success is as the API's document has it.", documentedAnswers),
  invariant("H2", "Nothing but a fault rule makes a 5xx or a broken answer.", unscriptedFailures),
  invariant("H3", "No answer repeats the key that was sent.", echoedKeys),
  invariant("H4", "HEAD is GET without the body, and 405 names the methods.", heads, wrongMethods),
];

/** What every reading allows. */
const anyText: JsonSchema = { type: "string" };
const lenient = responseSchemas({
  decimals: 6,
  surfaceStatus: anyText,
  payoutStatus: anyText,
  payoutReference: { type: ["string", "null"], minLength: 0 },
  hasPayoutReference: false,
});

function* documentedAnswers(evidence: Evidence): Playing<string> {
  const { trace, assumptions } = evidence;
  const readings = assumptions === undefined ? undefined : readingsOf(evidence);
  const schemas = readings === undefined ? lenient : successSchemas(readings);
  let looked = 0;
  for (const seen of ownAnswers(evidence)) {
    // What was answered under other readings has another document.
    if (seen.at < (trace.assumedAt ?? 0) || seen.status !== 200 || seen.method === "HEAD") continue;
    const operation = operationOf(seen, readings);
    if (operation === undefined) continue;
    looked += 1;
    const misfit = misfitIn(schemas[operation], seen.text);
    require(misfit === undefined, () => `${seen.method} ${seen.path}: ${misfit}`);
  }
  return looked === 0 ? notKnown("no operation was successful") : `${looked} successes`;
}

function misfitIn(schema: JsonSchema, text: string): string | undefined {
  try {
    return misfitOf(schema, JSON.parse(text));
  } catch {
    return `the body isn't JSON: ${text.slice(0, 100)}`;
  }
}

function* unscriptedFailures(evidence: Evidence): Playing<string> {
  const { trace, abilities, assumptions } = evidence;
  const { unscripted, scripted, exhausted, unanswered, total } = trace;
  if (total === 0) notKnown("nothing was sent");
  require(unscripted.count === 0, () =>
    `${unscripted.count} answers that no rule writes, the first: ${unscripted.first}`);
  // What a limit refuses with is known where the readings are, and were the same all along.
  const isKnown = assumptions !== undefined && trace.assumedAt === undefined;
  const mayBe503 = !isKnown || readingsOf(evidence)["limit.exceeded"] === "503";
  const isRules = trace.disturbedFrom < total;
  require(exhausted.count === 0 || mayBe503 || isRules, () =>
    `${exhausted.count} answers with 503, the first: ${exhausted.first}`);
  if (unanswered.count > 0 && abilities.time.kind !== "virtual")
    notKnown(`${unanswered.count} answers never came whole: a network may lose them too`);
  require(unanswered.count === 0, () =>
    `${unanswered.count} answers never came whole and no rule was in force, the first: ${unanswered.first}`);
  if (scripted.count > 0) yield* fromRules(evidence);
  return `the answers to ${total} requests`;
}

const MOST_JOURNAL = 10_000;

/** Rules write such statuses: the journal has as many from them as the client saw. */
function* fromRules({ trace, abilities }: Evidence): Playing<void> {
  if (!abilities.control) return;
  const entries = yield* perform<"journal">({ kind: "journal", limit: MOST_JOURNAL });
  const isService = ({ producedBy, response }: JournalEntry): boolean =>
    producedBy === "service" && response.status >= 500;
  const own = entries.find(isService);
  require(own === undefined, () =>
    `the service itself answered ${own?.request.method} ${own?.request.path} with ${own?.response.status}`);
  if (entries[0]?.sequence !== 1)
    notKnown("the journal no longer has all requests: which 5xx rules wrote can't be told");
  const written = entries.filter(({ response }) => response.status >= 500).length;
  const seen = trace.scripted.count + trace.exhausted.count;
  require(seen <= written, () =>
    `the client saw ${seen} answers with 5xx, the service made ${written}`);
}

function* echoedKeys({ trace }: Evidence): Playing<string> {
  const { echoes, kept } = trace;
  require(echoes.count === 0, () =>
    `${echoes.count} answers repeat the key, the first: ${echoes.first}`);
  const looked = kept.filter(
    ({ authorization, status }, at) =>
      authorization !== undefined && status !== 0 && at < trace.scriptedFrom,
  ).length;
  return looked === 0 ? notKnown("no answer to a key was the service's") : `${looked} answers`;
}

const everyOperation = Object.keys(operations) as OperationId[];

function* heads(evidence: Evidence): Playing<string> {
  const aside = yield* asideOf(evidence);
  if (aside.readings["http.head"] !== "supported")
    notKnown("HEAD isn't answered under http.head=405");
  yield* freshKey(aside, aside.labs[0]);
  for (const operation of everyOperation) {
    if (operations[operation].method !== "GET") continue;
    for (const from of ["2024-02-29", "2026-02-30"]) {
      const got = yield* sentAs(evidence, "GET", operation, { from });
      const head = yield* sentAs(evidence, "HEAD", operation, { from });
      const [left, right] = [got, head].map(({ status, headers }) =>
        JSON.stringify([status, headers["content-type"], headers["content-length"]]),
      );
      require(left === right, () => `${operation}: GET has ${left}, HEAD ${right}`);
      require(head.text === "", () => `${operation}: HEAD has the body ${head.text}`);
    }
  }
  return "GET and HEAD of three operations, aside";
}

function* wrongMethods(evidence: Evidence): Playing<string> {
  const { readings } = yield* asideOf(evidence);
  for (const operation of everyOperation) {
    const { method, path } = operations[operation];
    const isGet = method === "GET" && readings["http.head"] === "supported";
    const { status, headers } = yield* sentAs(evidence, "PUT", operation, {});
    const found = `${status} ${headers.allow ?? "without Allow"}`;
    const expected =
      readings["errors.method"] === "405"
        ? `405 ${isGet ? "GET, HEAD" : method}`
        : "404 without Allow";
    require(found === expected, () => `PUT ${path} got ${found}, not ${expected}`);
  }
  return "a wrong method on every path, aside";
}

/** With a valid key, and another method than the operation's where it is told. */
function* sentAs(
  evidence: Evidence,
  method: string,
  operation: OperationId,
  values: Values,
): Playing<Exchange> {
  const aside = yield* asideOf(evidence);
  const [{ id, apiKey: given }] = aside.labs;
  const apiKey = aside.keys.get(id)?.apiKey ?? given;
  const outgoing = outgoingOf({ id, apiKey }, operation, values);
  const answer = yield* sendAside({ ...outgoing, request: { ...outgoing.request, method } });
  return answer.outcome === "answered" ? answer : notKnown(`${method} aside was ${answer.outcome}`);
}
