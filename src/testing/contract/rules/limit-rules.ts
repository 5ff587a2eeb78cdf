/** How a client respects the request limits (spec §8). */

import fc from "fast-check";
import { HOUR_MS } from "../../../base/duration.ts";
import type { Verdict } from "../../../faults/verdict.ts";
import type { Readings } from "../../../simulator/simulator-options.ts";
import type { OperationId } from "../../../spec/operations.ts";
import type { ClientCommand, Command } from "../../session/command.ts";
import type { Session } from "../../session/session.ts";
import { isOfLimit, sentBy } from "../../session/tasks.ts";
import { mustDeliver } from "./delivery-rules.ts";
import {
  advance,
  delayed,
  failed,
  fault,
  heal,
  lasting,
  lateInTheDay,
  limitedByOtherStatus,
  limitedFor,
  limitedWithoutHint,
  limitedWithRetryAfter,
  next,
  OVER_MS,
  refusedUntilDate,
  refusedWithUselessHint,
  slow,
  some,
  spent,
} from "./disturbances.ts";
import { oneLimitNotTheOther } from "./other-limit.ts";
import { mustHoldQueue } from "./queue-waits.ts";
import { neverRepeats, type Rule } from "./rule.ts";
import {
  adView,
  apart,
  burst,
  click,
  event,
  flush,
  inTurn,
  pausesOf,
  payouts,
  query,
  sequence,
  stats,
  surfaces,
  togetherAll,
  weightedOneOf,
} from "./sequences.ts";
import {
  mustEnd,
  mustHaveNoFinding,
  mustNotLoseSilently,
  mustRecordShown,
} from "./shared-checks.ts";

/** A limit is used up, by the service's count or a fault rule's claim, and the client is asked for more. */
const beyondLimit: fc.Arbitrary<readonly Command[]> = weightedOneOf(
  [3, sequence([fault(limitedWithRetryAfter, some), adView], fc.oneof(event, event, flush))],
  [1, sequence([fault(limitedWithRetryAfter, next("stats", 1)), stats], query, 2)],
  [1, toldTwice(5, 150)],
  [2, toldTwice(150, 5)],
  [1, sequence([lateInTheDay, fault(limitedFor(150), next("impression", 1)), adView], event, 2)],
  [1, sequence([fault(limitedFor(3600), next("impression", 1)), adView], event, 2)],
  [2, trulyBeyond()],
  [3, toldForHours()],
  [2, successComesLate()],
  [2, limitedInBurst()],
  [2, limitedWhileOthersWait()],
  [1, sequence([fault(slowly(limitedFor(30)), next("impression", 1)), adView], event, 2)],
  [
    3,
    sequence([
      fault(refusedWithUselessHint, next("impression", 1)),
      adView,
      fault(limitedFor(150), next("impression", 1)),
      adView,
    ]),
  ],
);

/** The client is asked for more half an hour before the wait is over. The longest is longer than a timer can be. */
function toldForHours(): fc.Arbitrary<readonly Command[]> {
  return fc.constantFrom(2, 24, 720, 720).chain((hours) => {
    const told = (operation: OperationId): fc.Arbitrary<Command> =>
      fault(limitedFor(hours * 3600), next(operation, 1));
    const nearlyOver = pausesOf((hours - 0.5) * HOUR_MS);
    return fc.oneof(
      inTurn(told("impression"), adView, flush, nearlyOver, adView, flush),
      inTurn(told("stats"), stats, nearlyOver, stats),
    );
  });
}

/** A success comes after a refusal, but for a request that was sent before that. */
function successComesLate(): fc.Arbitrary<readonly Command[]> {
  const late: fc.Arbitrary<Verdict> = fc.constant({ kind: "delay", delay: "1500ms" });
  const refused = limitedFor(30);
  return fc.oneof(
    inTurn(
      fault(late, next("surfaces", 1)),
      fault(refused, next("stats", 1)),
      // A client may send one request for two queries that are the same.
      apart(surfaces, fc.constant({ kind: "stats" }), fc.constant({ kind: "stats", surface: 0 })),
    ),
    inTurn(
      // The client finds out which encoding the service reads.
      adView,
      flush,
      fault(late, next("impression", 1)),
      fault(refused, next("impression", 1)),
      apart(adView, adView, adView),
    ),
  );
}

/** One of many requests is refused while others are under way, and still others wait for their turn. */
function limitedInBurst(): fc.Arbitrary<readonly Command[]> {
  const told = fault(delayed(limitedFor(5)), next("impression", 1));
  // First the client finds out which encoding the service reads.
  return sequence([adView, flush, told, slow, burst(adView)], event, 2);
}

/** One of several queries is refused while others wait for their turn: many clients have only a few under way at once. */
function limitedWhileOthersWait(): fc.Arbitrary<readonly Command[]> {
  const statsOf = (surface: number) => fc.constant({ kind: "stats", surface } as const);
  return inTurn(
    fault(delayed(limitedFor(30)), next("stats", 1)),
    slow,
    togetherAll(
      // The first in line isn't judged: it may have been sent before the refusal arrived.
      ...[fc.constant({ kind: "stats" } as const), surfaces],
      ...[payouts, fc.constant({ kind: "payouts", limit: 5 } as const), statsOf(0), statsOf(1)],
    ),
  );
}

/** The answer takes a while. The wait that it demands begins when it has arrived (RFC 9110 §10.2.3). */
function slowly(verdicts: fc.Arbitrary<Verdict>): fc.Arbitrary<Verdict> {
  return verdicts.map((verdict) => ({ ...verdict, delay: "1500ms" }));
}

/** Two requests at once are told to wait for different times, in seconds. */
function toldTwice(firstS: number, secondS: number): fc.Arbitrary<readonly Command[]> {
  const both = (operation: "impression" | "stats", command: fc.Arbitrary<ClientCommand>) => {
    const told = (seconds: number): fc.Arbitrary<Command> =>
      fault(limitedFor(seconds), next(operation, 1));
    return [told(firstS), told(secondS), togetherAll(command, command)];
  };
  return fc.oneof(
    sequence(both("impression", adView), event, 2),
    sequence(both("stats", stats), query, 2),
  );
}

/** By the service's own count, under any assumptions. */
function trulyBeyond(): fc.Arbitrary<readonly Command[]> {
  return weightedOneOf(
    [7, sequence([spent("reporting"), stats, stats], query, 3)],
    // A client that waits before it answers is asked for other things meanwhile.
    [3, sequence([spent("reporting"), apart(query, query, query, query)], query, 1)],
    [1, sequence([spent("recording"), adView], event, 3)],
    [1, sequence([adView, adView, flush, spent("recording"), apart(adView, click, adView, click)])],
  );
}

function judgeWaits(session: Session): number {
  const applied = mustHaveNoFinding(session, "before-retry-after");
  mustHoldQueue(session);
  mustNotLoseSilently(session);
  mustNotHang(session);
  return applied;
}

/** A call may take as long as Retry-After demands, but it must not wait for nothing. */
function mustNotHang({ steps }: Session): void {
  mustEnd({ steps: steps.filter(({ outcome }) => outcome.kind !== "endless") });
}

/** Many failures in a row, so that a client may stop sending for a while. After that, a limit refuses. */
const limitedAfterOutage: fc.Arbitrary<readonly Command[]> = inTurn(
  ...[fault(failed, lasting), adView, adView, flush, heal, advance(600, 1200)],
  ...[adView, flush, refusedUntilDate("impression"), adView, adView, flush],
);

const waitsAsTold: Rule = {
  id: "waits-as-told",
  says: "After a refusal the client sends nothing that counts against the same limit before the time in Retry-After has passed",
  source: "spec §8, RFC 9110 §10.2.3",
  assuming: [{ "limit.retry-after": "seconds" }],
  commands: () => beyondLimit,
  judge: judgeWaits,
};

const waitsUntilDate: Rule = {
  id: "waits-until-date",
  says: "A client waits until the date that Retry-After names",
  source: "spec §8, RFC 9110 §10.2.3",
  needsVirtualTime: true,
  assuming: [
    { "limit.retry-after": "http-date" },
    { "limit.retry-after": "http-date", "limit.exceeded": "503" },
  ],
  commands: () =>
    weightedOneOf(
      [2, trulyBeyond()],
      [1, sequence([refusedUntilDate("impression"), adView], event, 2)],
      [1, sequence([lateInTheDay, refusedUntilDate("impression"), adView], event, 2)],
      [1, sequence([lateInTheDay, refusedUntilDate("stats"), stats], query, 2)],
      [1, limitedAfterOutage],
    ),
  judge: judgeWaits,
};

const slowsDownUntold: Rule = {
  id: "slows-down-untold",
  says: "A client slows down at a limit that doesn't say when to come back",
  source: "spec §8",
  needsVirtualTime: true,
  assuming: [{ "limit.retry-after": "absent" }],
  whyNever: neverRepeats,
  commands: () =>
    weightedOneOf(
      [2, sequence([fault(limitedWithoutHint, next("impression", 5)), adView], event, 3)],
      [1, trulyBeyond()],
    ),
  judge(session) {
    const pauses = mustHaveNoFinding(session, "hot-loop", "pauses-do-not-grow");
    return sentBy(session).some(isOfLimit) ? pauses : 0;
  },
};

const others: readonly Readings[] = (["403", "503"] as const).flatMap((status) =>
  (["remaining", "limit-reset", "ietf"] as const).map(
    (headers): Readings => ({
      "limit.exceeded": status,
      "limit.headers": headers,
      "limit.retry-after": "seconds",
    }),
  ),
);

const limitByAnotherStatus: Rule = {
  id: "limit-by-another-status",
  says: "A client keeps to the limit, whatever status a refused request gets",
  source: "spec §8",
  assuming: others,
  commands: () =>
    weightedOneOf(
      [2, trulyBeyond()],
      // The recording limit is thousands of requests, so a fault rule imitates its answer.
      [
        1,
        sequence(
          [fault(limitedByOtherStatus, next("impression", 1)), adView, adView, advance(200, 300)],
          event,
          3,
        ),
      ],
    ),
  judge(session) {
    mustDeliver(session);
    return judgeWaits(session);
  },
};

const goesOnAfterTheLimit: Rule = {
  id: "goes-on-after-the-limit",
  says: "After the limit's minute has passed, events are recorded again",
  source: "spec §8",
  needsVirtualTime: true,
  commands: () =>
    weightedOneOf(
      [
        7,
        sequence(
          [
            fault(
              fc.oneof(limitedWithRetryAfter, limitedWithoutHint, limitedByOtherStatus),
              next("impression", 1),
            ),
            adView,
            flush,
            advance(300, 600),
            adView,
          ],
          event,
          3,
        ),
      ],
      [1, sequence([spent("recording"), adView, flush, advance(300, 600), adView], event, 2)],
    ),
  judge(session) {
    const refused = sentBy(session).findLast((sent) => isOfLimit(sent));
    if (refused === undefined) return 0;
    return mustRecordShown(
      session,
      ({ at, atMs }) => at > refused.stepIndex && atMs >= refused.atMs + OVER_MS,
      (name) =>
        `The limit last refused a request more than two minutes before ${name} was shown, but the service has no record of it.`,
    );
  },
};

export const limitRules: readonly Rule[] = [
  waitsAsTold,
  waitsUntilDate,
  slowsDownUntold,
  limitByAnotherStatus,
  goesOnAfterTheLimit,
  oneLimitNotTheOther,
];
