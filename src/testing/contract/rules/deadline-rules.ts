/** How long a call to the client takes at most. */

import fc from "fast-check";
import { durationInWords } from "../../../base/duration.ts";
import { isOfClient } from "../../session/command.ts";
import type { Session, Step } from "../../session/session.ts";
import { type EventTask, eventsOf, isAcknowledged, sentBy } from "../../session/tasks.ts";
import {
  failed,
  fault,
  lasting,
  limitedWithoutHint,
  limitedWithRetryAfter,
  next,
  silence,
  some,
} from "./disturbances.ts";
import { must, type Rule } from "./rule.ts";
import { adView, event, flush, query, sequence, stats, weightedOneOf } from "./sequences.ts";

const answersInTime: Rule = {
  id: "answers-in-time",
  says: "Every call ends within the time that the driver promises (`withinMs`, 10 minutes by default), besides the waits that Retry-After demands",
  source: "spec §7, RFC 9110 §10.2.3",
  needsVirtualTime: true,
  commands: () =>
    weightedOneOf(
      [2, sequence([adView], fc.oneof(event, query))],
      [
        3,
        sequence(
          [fault(fc.oneof(failed, silence), fc.oneof(lasting, some)), adView, flush],
          fc.oneof(event, query),
          3,
        ),
      ],
      [1, sequence([fault(fc.oneof(failed, silence), next("stats")), stats], event, 2)],
      [1, sequence([fault(limitedWithRetryAfter, some), adView], fc.oneof(event, query), 3)],
      [1, sequence([fault(limitedWithoutHint, next("impression", 3)), adView], event, 2)],
    ),
  judge: mustEndInTime,
};

/** @throws BrokenRule @returns how many calls ended. Those that never do are for other rules. */
function mustEndInTime(session: Session): number {
  const { withinMs } = session.promised;
  const sent = sentBy(session);
  const events = eventsOf(session, sent);
  const waits = sent.flatMap(({ attempt: { answeredMs, retryAtMs } }): Interval[] =>
    answeredMs === undefined || retryAtMs === undefined ? [] : [[answeredMs, retryAtMs]],
  );
  const calls = session.steps.flatMap((step, at) =>
    (step.parts ?? [step])
      .filter(({ command, outcome }) => isOfClient(command) && isOver(outcome))
      .map((call) => ({ ...call, at })),
  );
  for (const { command, atMs, endMs, at } of calls) {
    const demandedMs = overlapMs(waits, [atMs, endMs]);
    const tookMs = endMs - atMs - demandedMs;
    // A call may have to wait until the events before it are delivered, or given up.
    const count = Math.max(1, events.filter((event) => isPending(event, at, atMs)).length);
    must(
      tookMs <= count * withinMs,
      () =>
        `The client's ${command.kind} took ${durationInWords(tookMs)}${demandedMs > 0 ? `, besides the ${durationInWords(demandedMs)} that Retry-After demanded` : ""}. ` +
        `That is longer than its driver promises: ${durationInWords(withinMs)}${count > 1 ? ` for each of the ${count} events that waited` : ""}. If that is meant, declare \`withinMs\`.`,
    );
  }
  return calls.length;
}

function isOver({ kind }: Step["outcome"]): boolean {
  return kind === "done" || kind === "failed" || kind === "endless";
}

/** Whether the event may be waiting in this step, which begins then: it was given, didn't fail, and isn't known to be recorded. */
function isPending({ asks, sent }: EventTask, at: number, atMs: number): boolean {
  return (
    asks.some((ask) => ask.at === at || (ask.at < at && ask.outcome.kind !== "failed")) &&
    !sent.some((one) => one.atMs < atMs && isAcknowledged(one))
  );
}

type Interval = readonly [fromMs: number, toMs: number];

/** How much of the interval the waits cover. */
function overlapMs(waits: readonly Interval[], [fromMs, toMs]: Interval): number {
  let coveredMs = 0;
  let doneMs = fromMs;
  for (const [startMs, endMs] of [...waits].sort(([one], [other]) => one - other)) {
    const untilMs = Math.min(endMs, toMs);
    coveredMs += Math.max(0, untilMs - Math.max(startMs, doneMs));
    doneMs = Math.max(doneMs, untilMs);
  }
  return coveredMs;
}

export const deadlineRules: readonly Rule[] = [answersInTime];
