/** While a client waits for one request limit, it must go on sending requests that count against the other (spec §8). */

import fc from "fast-check";
import { TOLERANCE_MS } from "../../../audit/findings/before-retry-after.ts";
import { durationInWords } from "../../../base/duration.ts";
import { operations } from "../../../spec/operations.ts";
import type { Command } from "../../session/command.ts";
import type { Session, Step } from "../../session/session.ts";
import { type EventTask, eventsOf, type SentRequest, sentBy } from "../../session/tasks.ts";
import { fault, limitedFor, next, spent } from "./disturbances.ts";
import { must, type Rule } from "./rule.ts";
import {
  adView,
  apart,
  click,
  event,
  flush,
  query,
  sequence,
  stats,
  weightedOneOf,
} from "./sequences.ts";
import { mustRecordShown } from "./shared-checks.ts";

/** One limit is used up. While the client waits for it, it is asked for something that counts against the other. */
const beyondOneLimit: fc.Arbitrary<readonly Command[]> = weightedOneOf(
  [3, sequence([spent("reporting"), stats, adView], fc.oneof(event, query), 3)],
  [1, sequence([spent("reporting"), apart(stats, stats, stats, adView, flush)], query, 2)],
  [2, sequence([fault(limitedFor(150), next("stats", 1)), apart(stats, adView, flush)], event, 2)],
  [
    2,
    sequence(
      [fault(limitedFor(150), next("impression", 1)), apart(adView, flush, query)],
      query,
      2,
    ),
  ],
  [
    1,
    sequence([adView, flush, fault(limitedFor(150), next("click", 1)), apart(click, flush, query)]),
  ],
);

export const oneLimitNotTheOther: Rule = {
  id: "one-limit-not-the-other",
  says: "While one limit is used up, the client still sends requests that count against the other",
  source: "spec §8",
  needs: ["stats"],
  commands: () => beyondOneLimit,
  judge(session) {
    const prompt = mustNotWaitForOtherLimit(session);
    const spending = session.steps.findIndex(({ command }) => command.kind === "spend");
    const refused = sentBy(session).some(
      (sent) => sent.limit === "reporting" && sent.stepIndex > spending,
    );
    if (!refused) return prompt;
    const recorded = mustRecordShown(
      session,
      ({ at }) => at > spending,
      (name) =>
        `The service has no record of ${name}. The reporting limit was used up, but the recording limit was not.`,
    );
    return prompt + recorded;
  },
};

/** A call that the limit doesn't concern is sent within this time. */
const PROMPT_MS = 30_000;
type Limit = (typeof operations)[keyof typeof operations]["limit"];

/** The time from a 429 until its Retry-After is over. */
interface Wait {
  readonly limit: Limit;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * While one limit is used up, requests under the other are sent before the wait is over. Only if nothing disturbed the
 * other: a client may have its own reasons to wait after a failure.
 *
 * @throws BrokenRule
 * @returns how many calls there were that the client could have held up.
 */
function mustNotWaitForOtherLimit(session: Session): number {
  const sent = sentBy(session);
  const waits = sent
    .flatMap(waitOf)
    .filter(({ toMs, limit }) =>
      sent.every((one) => one.atMs >= toMs || limitOf(one) === limit || isUndisturbed(one)),
    );
  if (waits.length === 0) return 0;
  const events = eventsOf(session, sent);
  let applied = 0;
  for (const [at, step] of session.steps.entries()) {
    for (const call of step.parts ?? [step]) {
      for (const { name, limit, arrivalMs } of dueIn(call, { at, sent, events })) {
        const wait = waits.find((one) => one.limit !== limit && isDuring(one, call));
        if (wait === undefined) continue;
        applied += 1;
        must(
          arrivalMs < wait.toMs - TOLERANCE_MS || !isHeldUp(call, wait),
          () =>
            `The client was asked for ${name} while only the ${wait.limit} limit was used up, ${durationInWords(wait.toMs - call.atMs)} before the end of its Retry-After. It sent nothing for ${name} in that time.`,
        );
      }
    }
  }
  return applied;
}

function limitOf({ operation }: SentRequest): Limit | undefined {
  return operation === undefined ? undefined : operations[operation].limit;
}

function isUndisturbed({ fault, limit, got }: SentRequest): boolean {
  return fault === undefined && limit === undefined && got.status < 500;
}

/** Only 429 surely means a limit: a client may take a 503 for a failure of the whole service. */
function waitOf(sent: SentRequest): Wait[] {
  const { answeredMs: fromMs, retryAtMs: toMs } = sent.attempt;
  const limit = limitOf(sent);
  if (sent.got.status !== 429 || limit === undefined) return [];
  return fromMs === undefined || toMs === undefined ? [] : [{ limit, fromMs, toMs }];
}

function isDuring({ fromMs, toMs }: Wait, { atMs }: Step): boolean {
  return atMs > fromMs && atMs <= toMs - PROMPT_MS;
}

/** Whether the call went on until the end of the wait, or failed. Otherwise a cache answered it, or the event is queued. */
function isHeldUp({ outcome, endMs }: Step, { toMs }: Wait): boolean {
  return outcome.kind === "failed" || endMs >= toMs - TOLERANCE_MS;
}

interface Due {
  readonly name: string;
  readonly limit: Limit;
  /** When its first request arrived; Infinity if none did. */
  readonly arrivalMs: number;
}

interface Sent {
  /** Index of the call's step. */
  readonly at: number;
  readonly sent: readonly SentRequest[];
  readonly events: readonly EventTask[];
}

/** What has to be sent in this call. */
function dueIn({ command, outcome, atMs, shown }: Step, { at, sent, events }: Sent): Due[] {
  if (outcome.kind === "skipped") return [];
  switch (command.kind) {
    case "stats":
    case "surfaces":
    case "payouts": {
      const { kind } = command;
      const own = sent.filter((one) => one.stepIndex === at && one.operation === kind);
      return [{ name: kind, limit: "reporting", arrivalMs: firstSince(atMs, own) }];
    }
    case "impression":
    case "click":
      return events
        .filter(({ view, operation }) => view === shown && operation === command.kind)
        .flatMap((event) => dueOf(event, atMs));
    case "flush":
      return events.filter((event) => isQueued(event, atMs)).flatMap((event) => dueOf(event, atMs));
    default:
      return [];
  }
}

/** A click waits for its impression, so only the impression is judged. */
function dueOf({ operation, name, sent, asks }: EventTask, atMs: number): Due[] {
  if (operation === "click" || asks.length > 1) return [];
  return [{ name, limit: "recording", arrivalMs: firstSince(atMs, sent) }];
}

function isQueued({ asks, sent }: EventTask, atMs: number): boolean {
  return (
    asks.every((ask) => ask.atMs <= atMs && ask.outcome.kind === "done") &&
    !sent.some((one) => one.atMs < atMs)
  );
}

function firstSince(atMs: number, sent: readonly SentRequest[]): number {
  return sent.find((one) => one.atMs >= atMs)?.atMs ?? Number.POSITIVE_INFINITY;
}
