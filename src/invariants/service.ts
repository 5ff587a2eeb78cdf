/** The invariants of the request limits (L4, L7), of isolation (A4), of saved state (R2) and of shape (H1). */

import { DAY_MS, MINUTE_MS } from "../base/duration.ts";
import { headerOf } from "../exchange/plain-request.ts";
import { type OperationId, operations } from "../spec/operations.ts";
import { bodyMismatch, lenientSchemas, responseSchemas } from "../spec/responses.ts";
import { valuesOf } from "./answers.ts";
import type { ClientExchange, Played, TracedExchange } from "./client-exchange.ts";
import { ensure, ensureEach, inconclusive } from "./ensure.ts";
import { ask, askAfresh, type Invariant, recordIn, type WorldCopy, waitIn } from "./invariant.ts";

export const serviceInvariants: readonly Invariant[] = [
  { id: "L4", says: "A request is admitted after Retry-After, and not before.", tried: retryAfter },
  { id: "L7", says: "X-RateLimit-Remaining is on every answer.", seen: remaining },
  { id: "A4", says: "A hidden publisher answers like one that doesn't exist.", tried: hidden },
  { id: "R2", says: "A world that is saved and restored goes on as before.", tried: restored },
  { id: "H1", says: "Every 200 is as documented, and only a fault makes a 5xx.", seen: documented },
];

/** More than any algorithm admits in the time that passes here. */
const MAX_SENT = 90;

/** Uses up a new key's quota in two bursts, so that it comes back at two times. */
function retryAfter(copy: WorldCopy): string {
  if (copy.sim.assumptions["limit.retry-after"] === "absent")
    inconclusive("under limit.retry-after=absent answers don't say when to retry");
  const { clock } = copy.sim;
  const [probe] = copy.probes;
  const send = (): ClientExchange => ask(copy, probe, "stats");
  // The minute has begun a moment ago, so that both bursts are in it.
  waitIn(copy, MINUTE_MS - (clock.now() % MINUTE_MS) + 250);
  askAfresh(copy, probe, "stats");
  for (let sent = 1; sent < MAX_SENT / 3; sent += 1) send();
  waitIn(copy, 10_250);
  let refused = send();
  for (let sent = 0; sent < MAX_SENT && refused.status === 200; sent += 1) refused = send();
  if (refused.status !== 429) inconclusive("the limit wasn't reached in a copy of the world");
  const { "retry-after": hint = "" } = refused.headers;
  const waitMs = /^\d+$/.test(hint) ? Number(hint) * 1000 : Date.parse(hint) - clock.now();
  ensure(waitMs > 0 && waitMs <= 2 * MINUTE_MS, `the refusal's Retry-After is "${hint}"`);
  const earlyMs = Math.max(0, waitMs - 1000);
  waitIn(copy, earlyMs);
  ensure(send().status === 429, `Retry-After is ${hint}, but a second less was enough`);
  waitIn(copy, waitMs - earlyMs);
  const { status } = send();
  ensure(status === 200, `Retry-After is ${hint}, but the answer after it was ${status}`);
  return `a Retry-After of ${hint}`;
}

function remaining(played: Played): string {
  // The specification doesn't say what another service's number looks like.
  const number = played.assumptions === undefined ? /^-?\d+(?:\.\d+)?$/ : /^\d+$/;
  return ensureEach(played.trace.ownAnswers(), "answers", ({ request, headers }) => {
    const { "x-ratelimit-remaining": count = "no X-RateLimit-Remaining" } = headers;
    ensure(number.test(count), `${request.method} ${request.path} got ${count}`);
  });
}

const reads = ["stats", "surfaces", "payouts"] as const satisfies readonly OperationId[];

function hidden(copy: WorldCopy): string {
  if (copy.sim.assumptions["auth.key-scope"] !== "publisher-hidden")
    inconclusive("foreign publishers don't get 404 under the assumptions in force");
  const [probe, { id }] = copy.probes;
  const nobody = id.slice(0, -1) + (id.endsWith("0") ? "1" : "0");
  return ensureEach(reads, "operations", (operation) => {
    const [nonexistent, foreign] = [nobody, id].map((publisher_id) =>
      bytesOf(askAfresh(copy, probe, operation, { publisher_id })),
    );
    ensure(nonexistent === foreign, `${operation}: ${foreign} tells it from ${nonexistent}`);
  });
}

function restored(copy: WorldCopy): string {
  const { sim, probes } = copy;
  if (sim.usage().impressions > 20_000) inconclusive("the world is too large to be saved");
  const [probe] = probes;
  const impression_id = recordIn(copy, probe, "R2");
  // Repeats and refers to what was done before, and lets a day pass.
  const goOn = (): readonly string[] => {
    const ids = ["R2", "R2, later"].map((session) => recordIn(copy, probe, session));
    const click = ask(copy, probe, "click", { impression_id });
    waitIn(copy, DAY_MS);
    const answers = [click, ...reads.map((operation) => ask(copy, probe, operation))];
    return [...ids, ...answers.map(bytesOf), JSON.stringify(sim.snapshot())];
  };
  // Through JSON: a snapshot must not share anything with its origin.
  const saved = JSON.parse(JSON.stringify(sim.snapshot()));
  const straight = goOn();
  sim.restore(saved);
  for (const [place, now] of goOn().entries())
    ensure(now === straight[place], `after it was restored, ${straight[place]} became ${now}`);
  return "what follows a snapshot, straight on and restored";
}

/** Status, headers and body. */
function bytesOf({ status, headers, text }: ClientExchange): string {
  const sorted = Object.entries(headers).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `${status} ${JSON.stringify(sorted)} ${text}`;
}

function documented(played: Played): string {
  const { trace, assumptions } = played;
  for (const exchange of trace.kept) {
    const { request, status, text } = exchange;
    const isAllowed = status < 500 || mayFail(exchange, played);
    ensure(isAllowed, `${request.method} ${request.path} got ${status} ${text}`);
  }
  const additionalProperties = assumptions?.["response.form"] === "evolved";
  const schemas = assumptions
    ? responseSchemas(assumptions, { additionalProperties })
    : lenientSchemas;
  const successes = trace
    .ownAnswers()
    .filter(({ status, request }) => status === 200 && request.method !== "HEAD");
  return ensureEach(successes, "successes", ({ operation, request, text }) => {
    const misfit = operation && bodyMismatch(schemas[operation], text);
    ensure(misfit === undefined, `${request.method} ${request.path}: ${misfit}`);
  });
}

function mayFail(exchange: TracedExchange, { trace, assumptions }: Played): boolean {
  const { status, headers } = exchange;
  // Another service may fail at any time, but a client's mistake isn't a failure (spec §7).
  if (assumptions === undefined) return !isMistake(exchange);
  if (trace.writtenStatuses.has(status)) return true;
  // Under an earlier choice the limit may have answered with 503.
  const mayLimit = assumptions["limit.exceeded"] === "503" || trace.assumedAt !== undefined;
  return mayLimit && status === 503 && headers["x-ratelimit-remaining"] === "0";
}

/** Whether no service can do what is asked: there is no key, or a required parameter is missing. */
function isMistake(exchange: TracedExchange): boolean {
  const { operation, request } = exchange;
  if (operation === undefined) return false;
  const values = valuesOf(exchange);
  const parameters = Object.entries(operations[operation].parameters);
  const isIncomplete = parameters.some(([name, { required }]) => required && !values.has(name));
  return isIncomplete || headerOf(request.headers, "authorization") === undefined;
}
