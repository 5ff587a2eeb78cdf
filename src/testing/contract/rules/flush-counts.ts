/** The numbers of a client's flush cover the time since the last one, so that a caller can add them up. */

import fc from "fast-check";
import { HOUR_MS } from "../../../base/duration.ts";
import type { Command } from "../../session/command.ts";
import {
  type PerformedCommand,
  performedCommandsOfKind,
} from "../../session/performed-commands.ts";
import type { Session } from "../../session/session.ts";
import { type EventTask, eventsOf } from "../../session/tasks.ts";
import { advance, failed, fault, heal } from "./disturbances.ts";
import { must } from "./rule.ts";
import { adView, againOf, click, flush, inTurn, togetherAll } from "./sequences.ts";
import { mustNotLoseSilently } from "./shared-checks.ts";
import { type EventKind, undeliveredOf } from "./undelivered.ts";

/** A click and views are given up. Later the clicked view is reported again, and flushes find nothing new. */
export const countedOnce: fc.Arbitrary<readonly Command[]> = inTurn(
  ...[adView, flush, fault(failed, fc.constant({ operation: ["impression", "click"] }))],
  fc.oneof(togetherAll(click, adView), togetherAll(click, adView, adView, adView, adView, adView)),
  ...[flush, heal, againOf(0), flush, advance(4000, 5000), flush, flush],
);

const kinds = ["impression", "click"] as const satisfies readonly EventKind[];

/**
 * Every flush counts what was given up since the last one. A client whose flush says no numbers is judged by its close alone.
 *
 * @throws BrokenRule
 */
export function mustCountSinceFlush(session: Session): void {
  mustNotLoseSilently(session);
  const flushes = performedCommandsOfKind(session, "flush");
  if (!flushes.every(saysBoth)) return;
  const events = eventsOf(session);
  for (const [place, end] of flushes.entries()) {
    mustNotLoseSilently(session, end);
    const before = flushes[place - 1];
    if (before !== undefined && before.at < end.at)
      mustCountNothingOld(session, events, before, end);
  }
}

function saysBoth({ outcome }: PerformedCommand): boolean {
  return (
    outcome.kind === "done" && kinds.every((kind) => undeliveredOf(outcome.value, kind).length > 0)
  );
}

/** After so long without a request no event waits any more. */
const QUIET_MS = HOUR_MS;

/**
 * If nothing was given or sent since an hour before the flush before, then all was given up by then, and was counted.
 * Skipped in real time: there a pause doesn't move the client's clock, so events may still wait.
 */
function mustCountNothingOld(
  session: Session,
  events: readonly EventTask[],
  before: PerformedCommand,
  end: PerformedCommand,
): void {
  if (session.sim.clock.mode !== "frozen") return;
  const isOld = ({ atMs }: { readonly atMs: number }): boolean => atMs + QUIET_MS <= before.atMs;
  const isUntilEnd = ({ atMs }: { readonly atMs: number }): boolean => atMs <= end.endMs;
  const earlier = events.filter(({ asks }) => asks.some(isUntilEnd));
  const isQuiet = earlier.every(({ asks, sent }) =>
    [...asks, ...sent].filter(isUntilEnd).every(isOld),
  );
  if (!isQuiet) return;
  for (const kind of kinds) {
    // An event that was never sent may wait for something else.
    if (earlier.some(({ operation, sent }) => operation === kind && !sent.some(isUntilEnd)))
      continue;
    const [said = 0] = end.outcome.kind === "done" ? undeliveredOf(end.outcome.value, kind) : [];
    must(
      said === 0,
      () =>
        `The client's flush resolved with ${kind}s: ${said}. It had been given nothing, and had sent nothing, since an hour before the last flush, which counted what was undelivered by then. ` +
        "Its numbers cover the time since the last flush; those of close cover the client's whole life.",
    );
  }
}
