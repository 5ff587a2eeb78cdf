/** How a client asks for and returns statistics (spec §2, §4). */

import fc from "fast-check";
import { parseDay } from "../../../base/calendar.ts";
import { DAY_MS, HOUR_MS } from "../../../base/duration.ts";
import { addDays, dayAt } from "../../../invariants/answers.ts";
import type { Choices } from "../../../simulator/simulator-options.ts";
import type { Assumptions } from "../../../spec/assumptions/catalogue.ts";
import { type ClientCommand, type Command, queryOf } from "../../session/command.ts";
import {
  type PerformedCommandOf,
  performedCommandsOfKind,
} from "../../session/performed-commands.ts";
import type { Session } from "../../session/session.ts";
import { commandInWords, outcomeInWords } from "../../session/words.ts";
import { periodProblem, problemOf, requestsFor } from "./answers-to.ts";
import { mustMatchAnswers, wasAnswered } from "./compare-answers.ts";
import { figuresAskedAgain } from "./kept-figures.ts";
import { must, type Rule } from "./rule.ts";
import {
  adView,
  click,
  commandsAfter,
  commandsOf,
  inTurn,
  longPause,
  pausesOf,
  stats,
  weightedOneOf,
} from "./sequences.ts";

/** Whose midnight it is, and when events are seen. */
const timezones = [
  { "date.timezone": "utc" },
  { "date.timezone": "ist" },
] as const satisfies readonly Choices[];
const timezonesAndDelays: readonly Choices[] = (["live", "next-day"] as const).flatMap((today) =>
  timezones.map((timezone) => ({ "stats.today": today, ...timezone })),
);

/** A day with a click and no view: the view was the day before. */
const clickedLater: fc.Arbitrary<readonly Command[]> = inTurn(
  ...[adView, pausesOf(DAY_MS), click],
  fc.constant<Command>({ kind: "stats", from: "2026-01-16", to: "2026-01-16" }),
);

const statsAsAnswered: Rule = {
  id: "stats-as-answered",
  says: "The client returns statistics with the members and values of the service's answer, to the micro-INR",
  source: "spec §2",
  needs: ["stats"],
  unlessAssumed: timezonesAndDelays,
  commands: () =>
    weightedOneOf([7, commandsOf(stats, stats, adView, click, longPause)], [1, clickedLater]),
  judge: (session) => mustMatchAnswers(session, "stats"),
};

const statsNotOutdated: Rule = {
  id: "stats-not-outdated",
  says: "The client answers with the service's figures for exactly the query that it was given, and they are no older than it promises (staleMs)",
  source: "spec §4",
  needs: ["stats"],
  unlessAssumed: timezonesAndDelays,
  commands: () => figuresAskedAgain,
  judge: (session) => mustMatchAnswers(session, "stats"),
};

/** Days that calendars get wrong, and those around the default start of a world, in order. */
const days = [
  "2024-02-28",
  "2024-02-29",
  "2024-03-01",
  "2025-12-31",
  "2026-01-01",
  "2026-01-14",
  "2026-01-15",
  "2026-01-16",
] as const;

const periods: fc.Arbitrary<Command> = fc
  .record(
    { from: fc.nat({ max: days.length - 1 }), to: fc.nat({ max: days.length - 1 }) },
    { requiredKeys: [] },
  )
  .map(({ from, to }) => {
    // Other rules test inverted periods.
    const [first, last] =
      from !== undefined && to !== undefined && from > to ? [to, from] : [from, to];
    return {
      kind: "stats",
      ...(first !== undefined && { from: days[first] }),
      ...(last !== undefined && { to: days[last] }),
    };
  });

/** Moments when days begin and end in UTC and in India, if the world starts at midnight UTC. */
const moments: fc.Arbitrary<Command> = fc
  .tuple(
    // Days from the default start to the same day, the end of a year, the day before a leap day, and the leap day.
    fc.constantFrom(0, 350, 774, 775),
    fc.constantFrom(0, 18.5 * HOUR_MS - 1, 18.5 * HOUR_MS, DAY_MS - 1),
  )
  .map(([daysLater, byMs]) => ({ kind: "advance", byMs: daysLater * DAY_MS + byMs }));

const statsPeriod: Rule = {
  id: "stats-period",
  says: "The client asks for the statistics of the period that it was given, in days, and returns them even if nothing happened then",
  source: "spec §4",
  needs: ["stats"],
  needsVirtualTime: true,
  // Some of the periods have no traffic.
  unlessAssumed: timezones.flatMap((timezone) => [
    timezone,
    { ...timezone, "stats.surfaces": "with-traffic" },
  ]),
  commands: () => commandsOf(periods, periods, pausesOf(18.5 * HOUR_MS), longPause),
  judge: (session) => mustAskFor(session, ({ from, to }) => from !== undefined || to !== undefined),
};

const statsDefaultPeriod: Rule = {
  id: "stats-default-period",
  says: "Statistics without a period cover today and the 30 days before it, by the service's midnight",
  source: "spec §4",
  needs: ["stats"],
  needsVirtualTime: true,
  unlessAssumed: timezones,
  commands: () => commandsAfter([moments, stats], stats, stats, periods, longPause),
  judge: (session) => mustAskFor(session, ({ from, to }) => from === undefined && to === undefined),
};

/** @returns how many requests for statistics were compared with the requested period. */
function mustAskFor(
  session: Session,
  concerns: (command: PerformedCommandOf<"stats">["command"]) => boolean,
): number {
  let applied = 0;
  for (const asked of performedCommandsOfKind(session, "stats")) {
    const { command } = asked;
    if (!concerns(command)) continue;
    const sent = requestsFor(session, asked);
    const problem = problemOf(
      sent.map((exchange) => periodProblem(exchange, asked, session.assumptions)),
      asked,
    );
    const asking = `The client was asked for ${commandInWords(command)}.`;
    must(problem === undefined, () => `${asking} ${problem}.`);
    mustReturn(asked, session.assumptions, sent.length);
    applied += sent.length;
  }
  return applied;
}

/** @throws BrokenRule if the client rejected ordinary statistics that the service gave, or that it never asked for. */
function mustReturn(
  asked: PerformedCommandOf<"stats">,
  assumptions: Assumptions,
  sentCount: number,
): void {
  const { command, outcome } = asked;
  const mayFail = sentCount > 0 && !wasAnswered(asked);
  must(
    mayFail || outcome.kind === "done" || !isOrdinary(asked, assumptions),
    () =>
      `The client was asked for ${commandInWords(command)}. It ${sentCount > 0 ? "got them" : "sent nothing"}, and ${outcomeInWords(outcome)}.`,
  );
}

/** Whether the period is valid under every choice. A client may refuse others by itself. */
function isOrdinary(
  { command, atMs }: PerformedCommandOf<"stats">,
  assumptions: Assumptions,
): boolean {
  const today = dayAt(atMs, assumptions);
  const from = command.from ?? addDays(today, -30);
  const to = command.to ?? today;
  return [from, to].every((day) => parseDay(day) !== undefined) && from <= to && to <= today;
}

/** Of one surface on one day, often without traffic. */
const statsOfADay: fc.Arbitrary<ClientCommand> = fc
  .tuple(fc.nat({ max: 3 }), fc.constantFrom("2024-02-29", "2026-01-14", "2026-01-15"))
  .map(([surface, day]) => ({ kind: "stats", surface, from: day, to: day }));

const statsOfASurface: Rule = {
  id: "stats-of-a-surface",
  says: "The client asks for the statistics of the surface that it was given, or of all surfaces if it was given none, and returns them however many rows they have",
  source: "spec §4",
  needs: ["stats"],
  unlessAssumed: [{}, { "stats.surfaces": "with-traffic" }],
  commands: () => commandsOf(stats, statsOfADay, adView),
  judge(session) {
    let applied = 0;
    for (const asked of performedCommandsOfKind(session, "stats")) {
      const wanted = queryOf(asked.command, session.surfaces).surface;
      const sent = requestsFor(session, asked).map(({ values }) => values.get("surface"));
      const wrong = problemOf(
        sent.map((surface) => (surface === wanted ? undefined : (surface ?? "(all)"))),
        asked,
      );
      must(
        wrong === undefined,
        () =>
          `The client was asked for statistics of surface ${wanted ?? "(all)"}, but asked the service for ${wrong}.`,
      );
      mustReturn(asked, session.assumptions, sent.length);
      applied += sent.length;
    }
    mustMatchAnswers(session, "stats");
    return applied;
  },
};

export const statsRules: readonly Rule[] = [
  statsAsAnswered,
  statsNotOutdated,
  statsPeriod,
  statsDefaultPeriod,
  statsOfASurface,
];
