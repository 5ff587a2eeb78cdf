/** How often a showing and a click on it are on record in the end: once (spec §1, §4). */

import { dedupWindowOf } from "../../../exchange/world.ts";
import type { Assumptions } from "../../../spec/assumptions/catalogue.ts";
import { type Asked, askedOf } from "../../session/asked.ts";
import { adInWords } from "../../session/names.ts";
import { type RecordedEvent, recordsOf } from "../../session/records.ts";
import type { Session, Showing } from "../../session/session.ts";
import { outcomeInWords } from "../../session/words.ts";
import { must, type Rule } from "../rule.ts";
import {
  again,
  anyShowing,
  click,
  flush,
  sequencesAfter,
  sequencesOf,
  shortPause,
  showing,
  together,
} from "../sequences.ts";

/** What a client was asked about one showing. */
interface Report {
  readonly showing: Showing;
  /** Each time that it was asked to report it, and each time a click on it. */
  readonly showings: readonly Asked[];
  readonly clicks: readonly Asked[];
}

function reportsOf(session: Session): readonly Report[] {
  const all = askedOf(session);
  return session.showings.map((showing) => {
    const about = all.filter(({ shown }) => shown === showing);
    const clicked = about.filter(({ command }) => command.kind === "click");
    return { showing, clicks: clicked, showings: about.filter((one) => !clicked.includes(one)) };
  });
}

/** Whether nothing came in the way of a request: no fault rule, and no request limit. */
function isHealthy({ exchanges }: Pick<Session, "exchanges">): boolean {
  return exchanges.every(({ fault, limit }) => fault === undefined && limit === undefined);
}

function isDone({ outcome }: Asked): boolean {
  return outcome.kind === "done";
}

const showingCountsOnce: Rule = {
  id: "showing-counts-once",
  says: "A showing is on record once, with its surface and its ad",
  source: "spec §4",
  needs: [],
  commands: () => sequencesOf(anyShowing, anyShowing, together(anyShowing), shortPause, flush),
  judge(session) {
    const records = recordsOf(session);
    const healthy = isHealthy(session);
    let applied = 0;
    for (const { showing, showings } of reportsOf(session)) {
      const { ad, surface } = showing;
      const [said = { kind: "stuck" as const }] = showings.map(({ outcome }) => outcome);
      const done = showings.some(isDone);
      must(
        done || !healthy,
        () => `Nothing came in the way of ${adInWords(ad)}, and ${outcomeInWords(said)}.`,
      );
      if (!done) continue;
      const recorded = records.of(showing);
      const once = showings.length === 1 && recorded.length > 1;
      // Lost answers make a client report it again, and under dedup.repeat=count each of them counts.
      const mayCount = !healthy && session.assumptions["dedup.repeat"] === "count";
      must(
        recorded.length > 0 && (!once || mayCount),
        () =>
          `Of ${adInWords(ad)} ${outcomeInWords(said)}. It is on record ${times(recorded)}, expected once.`,
      );
      for (const one of recorded) {
        must(
          one.surface === surface,
          () => `${adInWords(ad)} was shown on ${surface}. It is on record on ${one.surface}.`,
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

const saidAgainCountsOnce: Rule = {
  id: "said-again-counts-once",
  says: "The same showing reported twice counts once",
  source: "spec §1, §4",
  needs: [],
  commands: () =>
    sequencesAfter(
      [anyShowing, again],
      again,
      again,
      anyShowing,
      together(anyShowing, again),
      shortPause,
      flush,
    ),
  judge(session) {
    const records = recordsOf(session);
    const { assumptions } = session;
    let applied = 0;
    for (const { showing, showings } of reportsOf(session)) {
      const recorded = records.of(showing);
      if (showings.length < 2 || recorded.length === 0) continue;
      const countsRepeats = assumptions["dedup.repeat"] === "count";
      const extra = countsRepeats
        ? recorded.slice(showings.length)
        : tooEarly(recorded, assumptions);
      must(
        // What a disturbed client sends is for the rules about repeating.
        extra.length === 0 || (countsRepeats && !isHealthy(session)),
        () =>
          `${adInWords(showing.ad)} was reported ${times(showings)}. It is on record ${times(recorded)}, expected ` +
          (countsRepeats ? "no more often than it was reported." : "once: it was one showing."),
      );
      applied += 1;
    }
    return applied;
  },
};

/** Those that are on record within dedup.window of the one before: the client sent them as if they were others. */
function tooEarly(
  recorded: readonly RecordedEvent[],
  assumptions: Assumptions,
): readonly RecordedEvent[] {
  const windowMs = dedupWindowOf(assumptions);
  return recorded.filter(({ exchange }, at) => {
    const before = recorded[at - 1];
    return before !== undefined && exchange.atMs - before.exchange.atMs < windowMs;
  });
}

const clickCounts: Rule = {
  id: "click-counts",
  says: "A click is on record once, on the impression of its showing",
  source: "spec §4",
  needs: ["click"],
  commands: () =>
    sequencesAfter(
      // Of two showings, so that it can be on the wrong one.
      [showing, showing, click],
      again,
      showing,
      click,
      showing,
      together(showing, click),
      shortPause,
      flush,
    ),
  judge: (session) => mustCountClicks(session, ({ length }) => length === 1),
};

const secondClickCountsOnce: Rule = {
  id: "second-click-counts-once",
  says: "Two clicks on one showing count once, or twice where the service counts every click",
  source: "spec §4",
  needs: ["click"],
  assuming: (["original-uncredited", "replay", "conflict", "count"] as const).map((choice) => ({
    "click.repeat": choice,
  })),
  commands: () =>
    sequencesAfter(
      [showing, click, click],
      click,
      click,
      click,
      together(click),
      shortPause,
      flush,
    ),
  judge: (session) => mustCountClicks(session, ({ length }) => length > 1),
};

/** Of showings with as many clicks. */
function mustCountClicks(
  session: Session,
  concerns: (clicks: readonly Asked[]) => boolean,
): number {
  const records = recordsOf(session);
  const healthy = isHealthy(session);
  const countsEach = session.assumptions["click.repeat"] === "count";
  let applied = 0;
  for (const { showing, clicks: asked } of reportsOf(session)) {
    const [first] = asked;
    if (first === undefined || !concerns(asked)) continue;
    // Under click.window a click may come too late.
    const isLate = session.exchanges.some(({ got }) => got.status === 410);
    // Of several, all but one may be refused: by the service under click.repeat=conflict, or by the client itself.
    const done = asked.some(isDone);
    must(
      done || !healthy || isLate,
      () =>
        `Nothing came in the way of a click on ${showing.ad}, and ${outcomeInWords(first.outcome)}.`,
    );
    if (!done) continue;
    const recorded = records.of(showing).flatMap((one) => one.clicks);
    // Each impression of a showing that is on record more than once can be clicked.
    const most = countsEach ? asked.length : Math.min(asked.length, records.of(showing).length);
    const isTooMuch = recorded.length > most && healthy;
    must(
      recorded.length > 0 && !isTooMuch,
      () =>
        `The client was asked for ${asked.length === 1 ? "a click" : `${asked.length} clicks`} on ${showing.ad}, and ` +
        `the client says it is done. On record: ${clicksIn(recorded)}, ` +
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
  showingCountsOnce,
  saidAgainCountsOnce,
  clickCounts,
  secondClickCountsOnce,
];
