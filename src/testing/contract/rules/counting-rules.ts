/** Every ad view and every click must be recorded once (spec §1, §4). */

import fc from "fast-check";
import type { Choices } from "../../../simulator/simulator-options.ts";
import { sequenceOf } from "../../arbitraries/sequence.ts";
import type { Command } from "../../session/command.ts";
import { viewInWords } from "../../session/names.ts";
import type { PerformedCommand } from "../../session/performed-commands.ts";
import type { Session } from "../../session/session.ts";
import { type EventTask, eventsOf } from "../../session/tasks.ts";
import { outcomeInWords } from "../../session/words.ts";
import { doubtful, fault, heal, lost, next, processed } from "./disturbances.ts";
import { mustNotDouble, wasUndisturbed } from "./double-counting.ts";
import { isQueueFull } from "./excuses.ts";
import { must, type Rule } from "./rule.ts";
import {
  adAgain,
  adView,
  again,
  anyAdView,
  anyPause,
  click,
  commandsAfter,
  commandsOf,
  flush,
  inTurn,
  pauseOfDays,
  rush,
  sequence,
  shortPause,
  together,
  weightedOneOf,
} from "./sequences.ts";
import { mustNotLoseSilently } from "./shared-checks.ts";

/** What de-duplication takes for the same view. A client that gives each view a session of its own is right in each case. */
const underEachKey: readonly Choices[] = (["surface-ad-session", "session"] as const).map(
  (key) => ({ "dedup.key": key }),
);

function isDone({ outcome }: PerformedCommand): boolean {
  return outcome.kind === "done";
}

function viewsIn(events: readonly EventTask[]): readonly EventTask[] {
  return events.filter(({ operation }) => operation === "impression");
}

const impressionCountsOnce: Rule = {
  id: "impression-counts-once",
  says: "Each impression that the client is asked to report is recorded once, with its surface and its ad",
  source: "spec §4",
  assuming: underEachKey,
  commands: () =>
    weightedOneOf(
      [
        19,
        commandsOf(anyAdView, anyAdView, adAgain, together(anyAdView, adAgain), shortPause, flush),
      ],
      [1, rush],
    ),
  judge(session) {
    const healthy = wasUndisturbed(session);
    const events = eventsOf(session);
    let applied = 0;
    for (const event of viewsIn(events)) {
      const { name, view, asks, recorded } = event;
      // Another rule checks that the client says so.
      if (recorded.length === 0 && isQueueFull(event, events, session)) continue;
      const [said = { kind: "stuck" as const }] = asks.map(({ outcome }) => outcome);
      const done = asks.some(isDone);
      must(done || !healthy, () => `Nothing went wrong with ${name}, but ${outcomeInWords(said)}.`);
      if (!done) continue;
      const once = asks.length === 1 && recorded.length > 1;
      // After a lost answer the client reports it again, and under dedup.repeat=count each report counts.
      const mayCount = !healthy && session.assumptions["dedup.repeat"] === "count";
      must(
        recorded.length > 0 && (!once || mayCount),
        () =>
          `For ${name} ${outcomeInWords(said)}. It is recorded ${times(recorded)}, expected once.`,
      );
      for (const one of recorded) {
        must(
          one.values.get("surface") === view.surface,
          () =>
            `${name} was shown on ${view.surface}. It is recorded on ${one.values.get("surface")}.`,
        );
      }
      applied += 1;
    }
    return applied;
  },
};

function times({ length }: readonly unknown[]): string {
  return length === 1 ? "once" : `${length} times`;
}

/** The client gives a view up that the service has on record, and is asked to report it again. */
const givenUpInDoubt: fc.Arbitrary<readonly Command[]> = inTurn(
  fault(processed, next("impression")),
  anyAdView,
  flush,
  heal,
  again,
  flush,
);

/** In two of five sequences the first report may fail. */
const maybeFailing: fc.Arbitrary<readonly Command[]> = weightedOneOf(
  [3, fc.constant([])],
  [1, givenUpInDoubt],
  [
    1,
    sequenceOf(fault(fc.oneof(lost, doubtful), next("impression", 1)), {
      minLength: 0,
      maxLength: 1,
    }),
  ],
);

const saidAgainCountsOnce: Rule = {
  id: "said-again-counts-once",
  says: "An impression that the client is asked to report twice counts once, unless the client makes a session id of its own for each report",
  source: "spec §1, §4",
  assuming: [{}, { "dedup.window": "24h" }, { "dedup.key": "session", "dedup.window": "forever" }],
  commands: () =>
    inTurn(
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
    ),
  judge(session) {
    mustNotLoseSilently(session);
    return mustNotDouble(
      session,
      ({ operation, asks, recorded }) =>
        operation === "impression" && asks.length > 1 && recorded.length > 0,
    );
  },
};

const clickCounts: Rule = {
  id: "click-counts",
  says: "Each click is recorded once, on the impression that it belongs to",
  source: "spec §4",
  needs: ["click"],
  assuming: underEachKey,
  commands: (assumptions) =>
    weightedOneOf(
      [
        4,
        commandsAfter(
          // Two views, so that the click can go to the wrong one.
          [adView, fc.oneof(adView, adAgain), click],
          again,
          adView,
          adAgain,
          click,
          adView,
          together(adView, click),
          shortPause,
          flush,
        ),
      ],
      // If the service refuses late clicks, the client may know that.
      [
        assumptions["click.window"] === "none" ? 1 : 0,
        sequence([adView, pauseOfDays, adView, click], adView, 2),
      ],
    ),
  judge: (session) => mustCountClicks(session, ({ length }) => length === 1),
};

const secondClickCountsOnce: Rule = {
  id: "second-click-counts-once",
  says: "Two clicks on one impression count once, or twice if the service counts every click",
  source: "spec §4",
  needs: ["click"],
  assuming: (["original-uncredited", "replay", "conflict", "count"] as const).map((choice) => ({
    "click.repeat": choice,
  })),
  commands: () =>
    commandsAfter([adView, click, click], click, click, click, together(click), shortPause, flush),
  judge: (session) => mustCountClicks(session, ({ length }) => length > 1),
};

/** `concerns` selects the views by their clicks. */
function mustCountClicks(
  session: Session,
  concerns: (clicks: readonly PerformedCommand[]) => boolean,
): number {
  const healthy = wasUndisturbed(session);
  const events = eventsOf(session);
  // Under click.window a click may come too late.
  const isLate = session.exchanges.some(({ got }) => got.status === 410);
  const countsEach = session.assumptions["click.repeat"] === "count";
  const impressions = new Map(viewsIn(events).map((one) => [one.view, one]));
  let applied = 0;
  for (const event of events) {
    const { operation, name, view, asks: asked, recorded } = event;
    if (operation === "impression") continue;
    const [first] = asked;
    if (first === undefined || !concerns(asked)) continue;
    const impression = impressions.get(view);
    // Under dedup.repeat=conflict a client that reports a view twice may not know its id.
    const hasConflict = impression?.sent.some(({ got }) => got.status === 409) === true;
    if (recorded.length === 0 && (isLate || hasConflict)) continue;
    if (recorded.length === 0 && isQueueFull(event, events, session)) continue;
    // All clicks but one may be refused: by the service under click.repeat=conflict, or by the client itself.
    const done = asked.some(isDone);
    must(
      done || !healthy,
      () => `Nothing went wrong with ${name}, but ${outcomeInWords(first.outcome)}.`,
    );
    if (!done) continue;
    // If a view was recorded more than once, each of its impressions can be clicked.
    const most = countsEach
      ? asked.length
      : Math.min(asked.length, impression?.recorded.length ?? 0);
    const isTooMuch = recorded.length > most && healthy;
    must(
      recorded.length > 0 && !isTooMuch,
      () =>
        `The client was asked for ${asked.length === 1 ? "a click" : `${asked.length} clicks`} on ${viewInWords(view)}, and ` +
        `the client says that it is done. Recorded: ${clicksIn(recorded)}, ` +
        `expected ${most > 1 ? `1 to ${most}` : "1"}.`,
    );
    applied += 1;
  }
  return applied;
}

function clicksIn({ length }: readonly unknown[]): string {
  return length === 0 ? "no click on its impression" : `${length} clicks`;
}

export const countingRules: readonly Rule[] = [
  impressionCountsOnce,
  saidAgainCountsOnce,
  clickCounts,
  secondClickCountsOnce,
];
