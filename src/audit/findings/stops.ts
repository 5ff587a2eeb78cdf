/** Finds requests that came although an answer had told their client to stop: for a while (Retry-After), or with that key. */

import { operations } from "../../spec/operations.ts";
import { type Attempt, isServed, isTimed } from "./attempt.ts";
import { cameAfterText, durationText, type FindingKinds, type Offence } from "./finding.ts";
import { type SentAfter, sentAfter } from "./sent-after.ts";

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
        untilMsOf: ({ outcome }) => (outcome === "unauthorized" ? FOREVER : undefined),
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
        untilMsOf: ({ retryAtMs, answeredMs = FOREVER }) =>
          retryAtMs !== undefined && retryAtMs > answeredMs ? retryAtMs : undefined,
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
function limitKeysOf({ who, isOneEvent, requestKey, record }: Attempt): readonly string[] {
  const { operation, path, producedBy } = record;
  const isLimited = producedBy === "limit" && operation !== undefined;
  return [
    ...(isOneEvent ? [requestKey] : []),
    `${who} ${operation ?? path}`,
    ...(isLimited ? [`${who} ${operations[operation].limit}`] : []),
  ];
}

interface Rules {
  /** What an attempt's answer is about, and which earlier answers it has to heed. */
  keysOf(attempt: Attempt): readonly string[];
  /** Until when its answer says to stop; undefined if it doesn't. */
  untilMsOf(attempt: Attempt): number | undefined;
  detailOf(cause: Attempt, attempt: Attempt): string;
}

interface Stop {
  /** The attempt whose answer said so first. */
  readonly cause: Attempt;
  readonly isSentAfter: SentAfter;
  /** The one whose answer holds longest, and until when: a shorter wait for another request doesn't end this one. */
  readonly longest: Attempt;
  readonly untilMs: number;
}

function offencesIn(attempts: readonly Attempt[], rules: Rules): readonly Offence[] {
  const inForce = new Map<string, Stop>();
  return attempts.flatMap((attempt) => {
    const untilMs = rules.untilMsOf(attempt);
    const offences = rules.keysOf(attempt).flatMap((key): Offence[] => {
      const stop = inForce.get(key);
      const isSent = stop?.isSentAfter(attempt) ?? false;
      const isOver = stop === undefined || endsWith(stop, attempt);
      if (isOver) inForce.delete(key);
      if (untilMs !== undefined && (isOver || untilMs > stop.untilMs)) {
        const begun = isOver ? { cause: attempt, isSentAfter: sentAfter(attempt) } : stop;
        inForce.set(key, { ...begun, longest: attempt, untilMs });
      }
      if (stop === undefined || !isSent || !isWithin(stop, attempt)) return [];
      const { cause } = stop;
      return [{ attempt, cause, detail: rules.detailOf(cause, attempt) }];
    });
    return offences[0] ?? [];
  });
}

function isWithin({ longest, untilMs }: Stop, attempt: Attempt): boolean {
  if (untilMs === FOREVER) return true;
  const isBefore = attempt.record.nowMs < untilMs - TOLERANCE_MS;
  return isBefore && isTimed(longest, attempt) && isSince(longest, attempt);
}

/** A request that was under way when the client was told to stop doesn't end that. */
function endsWith(stop: Stop, attempt: Attempt): boolean {
  const { longest, untilMs } = stop;
  if (untilMs !== FOREVER && !isTimed(longest, attempt)) return true;
  return isSince(longest, attempt) && (isServed(attempt) || !isWithin(stop, attempt));
}

function isSince({ answeredMs = FOREVER }: Attempt, { record }: Attempt): boolean {
  return record.nowMs >= answeredMs;
}
