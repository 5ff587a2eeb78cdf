/** The invariants of the request limits (L4 and L7). */

import { MINUTE_MS } from "../base/duration.ts";
import type { ClientExchange } from "./client-exchange.ts";
import { ensure, inconclusive } from "./ensure.ts";
import type { Invariant } from "./invariant.ts";
import type { Log } from "./log.ts";
import { ask, renewKey, type WorldCopy, waitIn } from "./world-copy.ts";

export const limitInvariants: readonly Invariant[] = [
  {
    id: "L4",
    says: "A request after Retry-After is admitted. One a second earlier is refused.",
    tried: retryAfter,
  },
  { id: "L7", says: "X-RateLimit-Remaining is on every answer.", seen: remainingOnAll },
];

/** More than any algorithm admits in the time that passes here. */
const MAX_SENT = 90;
const PAUSE_MS = 10_250;
const SECOND_MS = 1000;

/** Uses up a new key's quota in two bursts, so that it comes back at two times. */
function retryAfter(copy: WorldCopy): string {
  if (copy.assumptions["limit.retry-after"] === "absent")
    inconclusive("under limit.retry-after=absent answers don't say when to retry");
  const [probe] = copy.probes;
  renewKey(copy, probe);
  // The minute has begun a moment ago, so that both bursts are in it.
  waitIn(copy, MINUTE_MS - (copy.sim.clock.now() % MINUTE_MS) + SECOND_MS / 4);
  const send = (): ClientExchange => ask(copy, probe, "stats");
  for (let sent = 0; sent < MAX_SENT / 3; sent += 1) send();
  waitIn(copy, PAUSE_MS);
  let refused = send();
  for (let sent = 0; sent < MAX_SENT && refused.status === 200; sent += 1) refused = send();
  if (refused.status !== 429) inconclusive("the limit wasn't reached in a copy of the world");
  const { "retry-after": hint = "" } = refused.headers;
  const waitMs = waitOf(hint, copy.sim.clock.now());
  ensure(waitMs > 0 && waitMs <= 2 * MINUTE_MS, () => `the refusal's Retry-After is "${hint}"`);
  const earlyMs = Math.max(0, waitMs - SECOND_MS);
  waitIn(copy, earlyMs);
  ensure(send().status === 429, () => `Retry-After is ${hint}, but a second less was enough`);
  waitIn(copy, waitMs - earlyMs);
  const { status } = send();
  ensure(status === 200, () => `Retry-After is ${hint}, but the answer after it was ${status}`);
  return `a Retry-After of ${hint}, in a copy of the world`;
}

/** Milliseconds from now. NaN if it is neither seconds nor a date. */
function waitOf(hint: string, nowMs: number): number {
  return /^\d+$/.test(hint) ? Number(hint) * SECOND_MS : Date.parse(hint) - nowMs;
}

function remainingOnAll({ trace, assumptions }: Log): string {
  // The specification doesn't say what another service's number looks like.
  const number = assumptions === undefined ? /^-?\d+(?:\.\d+)?$/ : /^\d+$/;
  const { withoutRemaining, kept, scriptedFrom, total } = trace;
  ensure(
    withoutRemaining.count === 0,
    () => `${withoutRemaining.count} responses don't have it, the first: ${withoutRemaining.first}`,
  );
  let responses = 0;
  for (const [at, { status, remaining, method, path }] of kept.entries()) {
    if (status === 0 || at >= scriptedFrom) continue;
    responses += 1;
    ensure(number.test(remaining ?? ""), () => `${method} ${path} got ${remaining}`);
  }
  if (responses === 0)
    inconclusive(total === 0 ? "nothing was sent" : "the service made none of the responses");
  return `the responses to ${total} requests`;
}
