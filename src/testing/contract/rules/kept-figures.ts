/** Arbitraries of queries for statistics that a client may answer with figures that it has kept, or may not. */

import fc from "fast-check";
import { DAY_MS, HOUR_MS } from "../../../base/duration.ts";
import type { Verdict } from "../../../faults/verdict.ts";
import { sequenceOf } from "../../arbitraries/sequence.ts";
import type { ClientCommand, Command } from "../../session/command.ts";
import { failed, fault, heal, limitedWithRetryAfter, next, silence } from "./disturbances.ts";
import { adView, click, pausesOf, stats, together, weightedOneOf } from "./sequences.ts";

const SECOND_MS = 1000;

const defaultPeriod: ClientCommand = { kind: "stats" };
const fromFirstDay: ClientCommand = { kind: "stats", from: "2026-01-15" };

/** Mostly the same queries, so that figures which were kept may be returned. They shrink to the first. */
const statsQuery: fc.Arbitrary<ClientCommand> = weightedOneOf(
  [
    4,
    fc.constantFrom<ClientCommand>(
      ...[defaultPeriod, defaultPeriod, defaultPeriod, defaultPeriod],
      ...[fromFirstDay, fromFirstDay, fromFirstDay],
      { kind: "stats", to: "2026-01-15" },
      { kind: "stats", from: "2026-01-14", to: "2026-01-14" },
      { kind: "stats", from: "2026-01-14", to: "2026-01-15" },
    ),
  ],
  [1, stats],
);

/** A second on either side of the default of `staleMs`, and up to the other side of midnight. */
const later: fc.Arbitrary<readonly Command[]> = fc
  .tuple(
    fc.constantFrom<Command[]>([], [{ kind: "impression", surface: 0 }]),
    pausesOf(61 * SECOND_MS, 59 * SECOND_MS, SECOND_MS, HOUR_MS, 18.5 * HOUR_MS, DAY_MS),
    statsQuery,
  )
  .map(([events, pause, ask]) => [...events, pause, ask]);

/**
 * Queries so close together that a cache that takes figures for new at each use would never ask again, if its client
 * promises from 26 to 117 seconds.
 */
const often: fc.Arbitrary<readonly Command[]> = fc
  .tuple(statsQuery, fc.constantFrom([61], [59, 59], [25, 25, 25], [59, 59]))
  .map(([ask, pausesS]) =>
    pausesS.flatMap((s): Command[] => [{ kind: "advance", byMs: s * SECOND_MS }, ask]),
  );

/** The figures were asked for in vain at first, and are asked for again around the end of their time. */
const askedTwice: fc.Arbitrary<readonly Command[]> = fc
  .tuple(
    fault(failed, next("stats", 1)),
    statsQuery,
    pausesOf(61 * SECOND_MS, 59 * SECOND_MS, 31 * SECOND_MS),
  )
  .map(([failure, ask, pause]) => [failure, ask, pause, ask]);

/** Figures are asked for again while a limit holds up another query. */
const whileLimited: fc.Arbitrary<readonly Command[]> = fc
  .tuple(
    statsQuery,
    pausesOf(61 * SECOND_MS, HOUR_MS),
    fault(limitedWithRetryAfter, next("stats", 1)),
    statsQuery,
  )
  .map(([ask, pause, limit, other]): readonly Command[] => [
    ...[ask, pause, limit],
    { kind: "together", commands: [other, ask], apartMs: SECOND_MS },
  ]);

const slow: fc.Arbitrary<Verdict> = fc
  .integer({ min: 2, max: 8 })
  .map((seconds) => ({ kind: "delay", delay: `${seconds}s` }));

/** A query, then others like it. */
export const figuresAskedAgain: fc.Arbitrary<readonly Command[]> = fc
  .tuple(
    statsQuery,
    sequenceOf(
      weightedOneOf(
        [5, later],
        [2, often],
        [1, askedTwice],
        [1, whileLimited],
        [1, adView],
        [1, click],
        [1, statsQuery],
        [1, together(statsQuery)],
        [1, fault(slow, next("stats", 1))],
        [1, fault(weightedOneOf([2, failed], [1, silence]), next("stats"))],
        [1, fault(limitedWithRetryAfter, next("stats", 1))],
        [1, heal],
      ),
      { minLength: 1, maxLength: 6 },
    ),
  )
  .map(([first, others]) => [first, ...others.flat()]);
