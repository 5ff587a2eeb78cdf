/** The order of events, the number of requests at once, and the number of attempts, for clients that promise them. */

import fc from "fast-check";
import type { Verdict } from "../../../faults/verdict.ts";
import { type Command, queryKinds } from "../../session/command.ts";
import { performedCommandsOf } from "../../session/performed-commands.ts";
import type { Session } from "../../session/session.ts";
import { eventsOf, isAcknowledged, isUnreadable, sentBy } from "../../session/tasks.ts";
import { outcomeInWords } from "../../session/words.ts";
import { outages } from "./delivery-rules.ts";
import { advance, delayed, failed, fault, limitedFor, lost, slow, some } from "./disturbances.ts";
import { isExcusedByItself, sentFor } from "./excuses.ts";
import { must, type Rule } from "./rule.ts";
import {
  adView,
  burst,
  click,
  event,
  flush,
  payouts,
  query,
  sequence,
  stats,
  surfaces,
  together,
  weightedOneOf,
} from "./sequences.ts";

const severalAtOnce: fc.Arbitrary<Command> = together(adView, adView, click);

const recordedInOrder: Rule = {
  id: "recorded-in-order",
  says: "Events are recorded in the order in which the client was given them, even if some have to be sent again",
  source: "the driver's inOrder",
  needs: ["inOrder"],
  commands: () =>
    sequence(
      [fault(fc.oneof(failed, lost), some), adView, together(adView)],
      fc.oneof(event, severalAtOnce, fault(failed, some), advance(1, 60)),
    ),
  judge(session) {
    if (!session.promised.inOrder) return 0;
    let applied = 0;
    let before: GivenEvent | undefined;
    for (const next of recordedOnce(session)) {
      if (before !== undefined && next.givenMs <= before.recordedMs) applied += 1;
      const { name, sequence: place } = next;
      must(before === undefined || place > before.sequence, () => {
        return `The client was given ${before?.name} before ${name}, but ${name} was recorded first.`;
      });
      before = next;
    }
    return applied;
  },
};

interface GivenEvent {
  readonly name: string;
  readonly givenMs: number;
  readonly recordedMs: number;
  /** The number of the request that was recorded. */
  readonly sequence: number;
}

/** The recorded events that the client was given once, in that order. An event given twice has no place of its own. */
function recordedOnce(session: Session): GivenEvent[] {
  const events = eventsOf(session).filter(({ asks }) => asks.length === 1);
  return performedCommandsOf(session).flatMap(({ command, shown, atMs }): GivenEvent[] => {
    const task = events.find((one) => one.operation === command.kind && one.view === shown);
    const [first] = task?.recorded ?? [];
    if (task === undefined || first === undefined) return [];
    const { sequence: place, atMs: recordedMs } = first;
    return [{ name: task.name, givenMs: atMs, recordedMs, sequence: place }];
  });
}

/** Clients don't wait this long. A request that isn't aborted then stays under way beside the next attempt. */
const tooSlow: fc.Arbitrary<Command> = fault(
  fc.constant({ kind: "delay", delay: "5m" }),
  fc.record({ times: fc.integer({ min: 4, max: 8 }) }),
);
const refusedForGood: fc.Arbitrary<Verdict> = fc.constant({ kind: "respond", status: 404 });
/** One of these queries fails for good. */
const refusedQuery: fc.Arbitrary<Command> = fault(
  refusedForGood,
  fc.constant({ operation: queryKinds, times: 1 }),
);
const manyQueries: fc.Arbitrary<Command> = burst(surfaces, payouts, stats, adView, flush);
const disturbed: fc.Arbitrary<Command> = fc.oneof(
  event,
  query,
  burst(adView, click),
  manyQueries,
  fault(failed, some),
  refusedQuery,
  advance(1, 10),
);

/** Some of the first requests fail while many others wait. Later ones are slow. */
const failsInBurst: fc.Arbitrary<readonly Command[]> = fc
  .constantFrom(
    { operation: "impression", many: burst(adView) } as const,
    { operation: queryKinds, many: manyQueries } as const,
  )
  .chain(({ operation, many }) =>
    sequence(
      [
        fault(
          delayed(fc.oneof(failed, lost, refusedForGood, limitedFor(5))),
          fc.record({
            operation: fc.constant(operation),
            times: fc.constantFrom(1, 2, 4, 8, 60, 60),
          }),
        ),
        slow,
        many,
      ],
      fc.oneof(many, disturbed),
      2,
    ),
  );

const atMostAtOnce: Rule = {
  id: "at-most-at-once",
  says: "The client never has more requests under way at once than it declares",
  source: "the driver's maxAtOnce",
  needs: ["maxAtOnce"],
  commands: () =>
    weightedOneOf(
      [1, sequence([slow, burst(adView)], disturbed, 2)],
      [1, sequence([slow, manyQueries], disturbed, 2)],
      [1, sequence([tooSlow, adView, manyQueries], disturbed, 2)],
      [1, sequence([refusedQuery, query, slow, manyQueries], disturbed, 1)],
      [4, failsInBurst],
    ),
  judge(session) {
    const { maxAtOnce } = session.promised;
    if (maxAtOnce === Number.POSITIVE_INFINITY) return 0;
    let answeredMs: number[] = [];
    let applied = 0;
    for (const { attempt, request } of sentBy(session)) {
      const { nowMs } = attempt.record;
      // It isn't known when the client aborted a request whose answer never came.
      answeredMs = answeredMs.filter((ms) => ms > nowMs);
      const count = answeredMs.length + 1;
      must(
        count <= maxAtOnce,
        () =>
          `When the client sent ${request.method} ${request.path}, it had ${count} requests under way. It declares at most ${maxAtOnce} at once. A request is under way until it is answered or aborted.`,
      );
      answeredMs.push(attempt.answeredMs ?? nowMs);
      if (answeredMs.at(-1) !== nowMs) applied += 1;
    }
    return applied;
  },
};

const triesAsDeclared: Rule = {
  id: "tries-as-declared",
  says: "A call fails only after as many attempts as the client declares (maxAttempts), unless the service refuses the event",
  source: "the driver's maxAttempts",
  needs: ["maxAttempts"],
  commands: () => outages,
  judge(session) {
    if (isUnreadable(session)) return 0;
    const { maxAttempts } = session.promised;
    const events = eventsOf(session);
    let judgedCount = 0;
    for (const event of events) {
      const [asked, ...others] = event.asks;
      if (asked === undefined || others.length > 0 || asked.together) continue;
      const sent = sentFor(event, asked.at);
      // What it doesn't send at all, it may have no room for, or hold back in an outage.
      if (sent.every(isAcknowledged) || isExcusedByItself(event, events, session, asked.at))
        continue;
      judgedCount += 1;
      must(
        asked.outcome.kind !== "failed" || sent.length >= maxAttempts,
        () =>
          `The client was given ${event.name}, and ${outcomeInWords(asked.outcome)}. Attempts: ${sent.length}. It declares ${maxAttempts}.`,
      );
    }
    return judgedCount;
  },
};

export const orderRules: readonly Rule[] = [recordedInOrder, atMostAtOnce, triesAsDeclared];
