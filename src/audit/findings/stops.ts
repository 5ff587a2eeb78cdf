/** Finds requests that came although an answer had told their client to stop: for a while (Retry-After), or with that key. */

import { groupedBy } from "../../base/grouped-by.ts";
import { headerOf } from "../../exchange/plain-request.ts";
import { operations } from "../../spec/operations.ts";
import { type Attempt, isServed, isTimed } from "./attempt.ts";
import { cameAfterText, durationText, type FindingKinds, type Offence } from "./finding.ts";

export const stops = {
  "continues-after-401": {
    title: "Requests with an API key that was refused",
    explanation:
      "The API key was refused, and the client sent more requests with it. None of them can succeed, so a good client stops until it gets another key.",
    spec: "§5",
    find: (attempts) =>
      offencesIn(attempts, {
        // Without an operation, the service doesn't check the key.
        keysOf: ({ credentials, record }) => (record.operation === undefined ? [] : [credentials]),
        untilMsOf: ({ outcome }) => (outcome === "unauthorized" ? FOREVER : 0),
        detailOf: (cause, attempt) => `${cameAfterText(cause, attempt)} with the same key`,
      }),
  },
  "before-retry-after": {
    title: "Requests before the end of Retry-After",
    explanation:
      "The answer said how long to wait, and the client sent more before that. A good client sends nothing that counts against the same limit until the wait is over. A date counts from the answer's Date: the client's own clock may show another time.",
    spec: "§8, and RFC 9110 §10.2.3",
    find: (attempts) =>
      offencesIn(attempts, {
        keysOf: limitKeysOf,
        untilMsOf: ({ retryAtMs = 0, answeredMs = FOREVER }) =>
          retryAtMs > answeredMs ? retryAtMs : 0,
        detailOf(cause, attempt) {
          const { retryAtMs = 0, answeredMs = 0, record } = cause;
          const hint = record.response.headers["retry-after"] ?? "";
          const date = hint.endsWith(" GMT") ? `, until ${hint}` : "";
          const wait = `wait ${durationText(retryAtMs - answeredMs)}${date}`;
          return `${wait}; ${cameAfterText(cause, attempt)}`;
        },
      }),
  },
} satisfies FindingKinds;

const FOREVER = Number.POSITIVE_INFINITY;
/** A client's timer may fire a little early, and its clock may be a little ahead. */
const TOLERANCE_MS = 50;

/**
 * What an attempt's answer may ask to wait with: this event, the operation, and if it was the limit's, whatever else that
 * refuses. The spec leaves open which requests count against the same limit.
 */
function limitKeysOf({ who, event, requestKey = "", record }: Attempt): readonly string[] {
  const { operation, path, producedBy } = record;
  const isLimited = producedBy === "limit" && operation !== undefined;
  return [
    ...(event?.key === undefined ? [] : [requestKey]),
    `${who} ${operation ?? path}`,
    ...(isLimited ? [`${who} ${operations[operation].limit}`] : []),
  ];
}

interface Rules {
  /** What an attempt's answer is about, and which earlier answers it has to heed. */
  keysOf(attempt: Attempt): readonly string[];
  /** Until when its answer says to stop; 0 if it doesn't. */
  untilMsOf(attempt: Attempt): number;
  detailOf(cause: Attempt, attempt: Attempt): string;
}

interface Stop {
  /** The attempt whose answer said so first. */
  readonly cause: Attempt;
  /** The latest end that an answer named: a shorter wait for another request doesn't end this one. */
  untilMs: number;
  /** How many attempts have come since. */
  later: number;
}

function offencesIn(attempts: readonly Attempt[], rules: Rules): readonly Offence[] {
  const inForce = new Map<string, Stop>();
  const connections = connectionsOf(attempts);
  return attempts.flatMap((attempt) => {
    const untilMs = rules.untilMsOf(attempt);
    const [cause] = rules.keysOf(attempt).flatMap((key) => {
      const stop = inForce.get(key);
      if (stop !== undefined) stop.later += 1;
      const isOffence = stop && isSentAfter(stop, attempt, connections) && isWithin(stop, attempt);
      if (stop === undefined || endsWith(stop, attempt)) {
        inForce.delete(key);
        if (untilMs > 0) inForce.set(key, { cause: attempt, untilMs, later: 0 });
      } else if (attempt.answeredMs === attempt.record.nowMs) {
        stop.untilMs = Math.max(stop.untilMs, untilMs);
      }
      return isOffence ? stop.cause : [];
    });
    return cause ? [{ attempt, cause, detail: rules.detailOf(cause, attempt) }] : [];
  });
}

function isWithin({ cause, untilMs }: Stop, attempt: Attempt): boolean {
  const isBefore = attempt.record.nowMs < untilMs - TOLERANCE_MS;
  return untilMs === FOREVER || (isBefore && isTimed(cause, attempt));
}

/** A request that was under way when the client was told to stop doesn't end that. */
function endsWith(stop: Stop, attempt: Attempt): boolean {
  const { answeredMs = FOREVER } = stop.cause;
  const isSince = attempt.record.nowMs >= answeredMs;
  return isSince && (isServed(attempt) || !isWithin(stop, attempt));
}

/** A request that was sent before the answer arrives no later than this after it. */
const ARRIVAL_MS = 250;
/** Applies while the clock is frozen. A browser opens this many connections to a host. */
const MAX_IN_FLIGHT = 6;
/** Over more connections requests may wait in the client until one is free. Node's fetch takes turns with two. */
const MAX_CONNECTIONS = 2;

/**
 * Whether the client surely had the answer when it sent the next attempt.
 *
 * Over its only connection a client sends nothing before it has the last answer. With each further connection, one request
 * may be on its way, and another one sent before that answer was read. An event that is sent again was answered.
 */
function isSentAfter(
  { cause, later }: Stop,
  next: Attempt,
  connections: ReadonlyMap<Attempt, number>,
): boolean {
  const [one = FOREVER, other = FOREVER] = [cause, next].map((each) => connections.get(each));
  const used = Math.max(one, other);
  const isInTurn = used <= MAX_CONNECTIONS && later > 2 * (used - 1);
  const isSameEvent = next.event?.key !== undefined && next.requestKey === cause.requestKey;
  const isSure = isInTurn || isSameEvent;
  if (!isTimed(cause, next)) return isSure || later > MAX_IN_FLIGHT;
  const sinceMs = next.record.nowMs - (cause.answeredMs ?? FOREVER);
  return sinceMs > ARRIVAL_MS || (isSure && sinceMs >= 0);
}

/** Among so many requests before and after, a sender that sends several at once uses several connections. */
const NEARBY = 6;
/** A browser lets a request wait for an equal one that is under way, and sends both over one connection. */
const BROWSER = /^Mozilla\//;

/** How many connections the sender of an attempt used at about that time; leaves out browsers, and those that aren't known. */
function connectionsOf(attempts: readonly Attempt[]): ReadonlyMap<Attempt, number> {
  const used = new Map<Attempt, number>();
  for (const own of groupedBy(attempts, ({ who }) => who).values()) {
    for (const [at, attempt] of own.entries()) {
      const nearby = own.slice(Math.max(0, at - NEARBY), at + NEARBY + 1);
      const numbers = nearby.map(({ record }) => record.connection);
      const agent = headerOf(attempt.record.headers, "user-agent") ?? "";
      const isKnown = !(numbers.includes(undefined) || BROWSER.test(agent));
      if (isKnown) used.set(attempt, new Set(numbers).size);
    }
  }
  return used;
}
