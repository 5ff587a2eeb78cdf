/** Sequences in which a request limit is used up, and the client is asked for more. */

import fc from "fast-check";
import { HOUR_MS } from "../../../base/duration.ts";
import type { Verdict } from "../../../faults/verdict.ts";
import type { OperationId } from "../../../spec/operations.ts";
import type { ClientCommand, Command } from "../../session/command.ts";
import {
  advance,
  delayed,
  failed,
  fault,
  heal,
  lasting,
  lateInTheDay,
  limitedFor,
  limitedWithRetryAfter,
  next,
  refusedUntilDate,
  refusedWithUselessHint,
  slow,
  some,
  spent,
} from "./disturbances.ts";
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

/** A limit is used up, by the service's count or a fault rule's claim, and the client is asked for more. */
export const beyondLimit: fc.Arbitrary<readonly Command[]> = weightedOneOf(
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
export function trulyBeyond(): fc.Arbitrary<readonly Command[]> {
  return weightedOneOf(
    [7, sequence([spent("reporting"), stats, stats], query, 3)],
    // A client that waits before it answers is asked for other things meanwhile.
    [3, sequence([spent("reporting"), apart(query, query, query, query)], query, 1)],
    [1, sequence([spent("recording"), adView], event, 3)],
    [1, sequence([adView, adView, flush, spent("recording"), apart(adView, click, adView, click)])],
  );
}

/** Many failures in a row, so that a client may stop sending for a while. After that, a limit refuses. */
export const limitedAfterOutage: fc.Arbitrary<readonly Command[]> = inTurn(
  ...[fault(failed, lasting), adView, adView, flush, heal, advance(600, 1200)],
  ...[adView, flush, refusedUntilDate("impression"), adView, adView, flush],
);
