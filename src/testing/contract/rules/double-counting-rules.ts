/** Nothing counts twice, although a client repeats requests that the service may have processed. */

import fc from "fast-check";
import { MINUTE_MS } from "../../../base/duration.ts";
import { dedupWindowOf } from "../../../exchange/operations/operation-world.ts";
import type { FaultMatch } from "../../../faults/rule.ts";
import type { Assumptions } from "../../../spec/assumptions/catalogue.ts";
import { sequenceOf } from "../../arbitraries/sequence.ts";
import type { Command } from "../../session/command.ts";
import type { Session } from "../../session/session.ts";
import { type EventTask, eventsOf, hasGivenSession } from "../../session/tasks.ts";
import { applied, doubtful, fault, lost, next } from "./disturbances.ts";
import { must, onRecord, type Rule } from "./rule.ts";
import {
  adAgain,
  adView,
  again,
  anyAdView,
  anyPause,
  click,
  commandsAfter,
  event,
  flush,
  pauseOfDays,
  sequence,
  shortPause,
  together,
  weightedOneOf,
} from "./sequences.ts";
import { mustNotLoseSilently } from "./shared-checks.ts";

const ofClicks: fc.Arbitrary<FaultMatch> = fc.constantFrom(
  { operation: "click", times: 1 },
  { operation: "click" },
);
export const noEventDoubled: Rule = {
  id: "no-event-doubled",
  says: "No impression and no click counts twice, whatever happens to the answer",
  source: "spec §4",
  // Under other choices of click.repeat repeated clicks don't count, so the rule couldn't fail.
  assuming: [
    {},
    { "click.repeat": "count" },
    { "dedup.key": "session" },
    { "dedup.key": "surface-session", "click.repeat": "count" },
  ],
  commands: (assumptions) =>
    weightedOneOf(
      [
        countsEveryClick(assumptions) ? 1 : 3,
        sequence([fault(doubtful), adView], fc.oneof(event, event, adAgain, fault(doubtful))),
      ],
      // Clicks are rarer, and only a recorded view can be clicked.
      [
        countsEveryClick(assumptions) ? 4 : 1,
        sequence([adView, fault(applied, ofClicks), click], fc.oneof(click, event, fault(applied))),
      ],
    ),
  judge: (session) => mustNotDouble(session, isInDoubt),
};

/** In one of four sequences the first report may fail. */
const maybeFailing: fc.Arbitrary<readonly Command[]> = weightedOneOf(
  [3, fc.constant([])],
  [
    1,
    sequenceOf(fault(fc.oneof(lost, doubtful), next("impression", 1)), {
      minLength: 0,
      maxLength: 1,
    }),
  ],
);

export const saidAgainCountsOnce: Rule = {
  id: "said-again-counts-once",
  says: "An impression that the client is asked to report twice counts once",
  source: "spec §1, §4",
  assuming: [
    {},
    { "dedup.key": "surface-session", "dedup.window": "24h" },
    { "dedup.key": "session", "dedup.window": "forever" },
  ],
  commands: () =>
    fc
      .tuple(
        maybeFailing,
        commandsAfter(
          [anyAdView, again],
          again,
          again,
          anyAdView,
          adAgain,
          together(anyAdView, again, adAgain),
          shortPause,
          anyPause,
          pauseOfDays,
          flush,
        ),
      )
      .map((parts) => parts.flat()),
  judge(session) {
    mustNotLoseSilently(session);
    return mustNotDouble(
      session,
      ({ operation, asks, recorded }) =>
        operation === "impression" && asks.length > 1 && recorded.length > 0,
    );
  },
};

/** @throws BrokenRule @returns how many of the concerned events could have been counted too often. */
function mustNotDouble(session: Session, concerns: (event: EventTask) => boolean): number {
  let applied = 0;
  for (const event of eventsOf(session)) {
    const { name, operation, sent, recorded } = event;
    const extra = concerns(event) ? extraOf(event, session) : undefined;
    if (extra === undefined) continue;
    must(
      extra.length === 0,
      () => {
        const requests = `${sent.length} ${sent.length === 1 ? "request" : "requests"}`;
        const ids = recorded.map(({ id }) => id).join(", ");
        return `The client reported ${name} in ${requests}, and the service recorded it ${recorded.length} times: ${ids}.`;
      },
      () => onRecord(session, operation, -extra.length),
    );
    applied += 1;
  }
  return applied;
}

function countsEveryClick(assumptions: Assumptions): boolean {
  return assumptions["click.repeat"] === "count";
}

/** Whether a fault hit one of its requests, so that it could have been counted twice. */
export function isInDoubt({ sent }: EventTask): boolean {
  return sent.some(({ fault }) => fault !== undefined);
}

/** Whether no fault rule and no request limit affected any request. */
export function wasUndisturbed({ exchanges }: Pick<Session, "exchanges">): boolean {
  return exchanges.every(({ fault, limit }) => fault === undefined && limit === undefined);
}

/** The records that shouldn't exist; undefined if the assumptions give the client no way to prevent them. */
function extraOf(event: EventTask, session: Session): EventTask["recorded"] | undefined {
  const { operation, views, asks, recorded } = event;
  const { assumptions } = session;
  if (operation === "click") {
    // Clicks have no identity: each requested click may count, and each copy by the network. The client caused the others.
    const copies = recorded.filter(({ fault }) => fault?.application === 2).length;
    return recorded.slice(asks.length + copies);
  }
  if (assumptions["dedup.repeat"] === "count") {
    // The service counts every request, and a session id, the spec's only remedy, doesn't help.
    return wasUndisturbed(session) ? recorded.slice(asks.length) : undefined;
  }
  // The spec doesn't say how long a session is remembered, so a repeat after the window is allowed.
  const windowMs = dedupWindowOf(assumptions);
  const tooSoon = recorded.filter(
    ({ atMs }, at) => atMs - (recorded[at - views.length]?.atMs ?? -windowMs) < windowMs,
  );
  return tooSoon.slice(laterViews(event));
}

/** How long a client that makes its own session ids has to recognise a view that is reported again. */
const RECOGNISED_MS = 30 * MINUTE_MS;

/**
 * How many of the reports a client that makes its own session ids may take for new views: those that came long after the
 * view was first reported.
 */
function laterViews(event: EventTask): number {
  if (hasGivenSession(event)) return 0;
  const { views, asks, recorded } = event;
  const sessions = new Set(recorded.map(({ values }) => values.get("session_id")));
  if (sessions.has(undefined) || sessions.size < recorded.length) return 0;
  let later = 0;
  for (const view of views) {
    let sinceMs = Number.NaN;
    for (const { shown, atMs } of asks) {
      if (shown !== view || atMs - sinceMs < RECOGNISED_MS) continue;
      if (!Number.isNaN(sinceMs)) later += 1;
      sinceMs = atMs;
    }
  }
  return later;
}
