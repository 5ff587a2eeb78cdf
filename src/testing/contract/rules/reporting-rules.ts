/** How a client asks for and returns statistics, surfaces and payouts (spec §2, §4). */

import fc from "fast-check";
import { parseDay } from "../../../base/calendar.ts";
import { DAY_MS, HOUR_MS } from "../../../base/duration.ts";
import { addDays, dayAt } from "../../../laws/read-trace.ts";
import type { Assumptions } from "../../../spec/assumptions/catalogue.ts";
import { type Command, queryOf } from "../../session/command.ts";
import {
  type PerformedCommandOf,
  performedCommandsOfKind,
} from "../../session/performed-commands.ts";
import type { Session } from "../../session/session.ts";
import type { WireExchange } from "../../session/wire.ts";
import { outcomeInWords } from "../../session/words.ts";
import { mustMatchAnswers } from "./compare-answers.ts";
import { must, type Rule } from "./rule.ts";
import {
  adView,
  click,
  commandsAfter,
  commandsOf,
  longPause,
  payouts,
  shortPause,
  stats,
  surfaces,
} from "./sequences.ts";

const statsAsAnswered: Rule = {
  id: "stats-as-answered",
  says: "The client returns statistics with the members and values of the service's answer, to the micro-INR",
  source: "spec §2",
  needs: ["stats"],
  commands: () => commandsOf(stats, stats, adView, click, longPause),
  judge: (session) => mustMatchAnswers(session, "stats"),
};

/** Days that calendars get wrong, and the default start of a world, in order. */
const days = [
  "2024-02-28",
  "2024-02-29",
  "2024-03-01",
  "2025-12-31",
  "2026-01-01",
  "2026-01-14",
  "2026-01-15",
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
  says: "The client asks for the statistics of the period that it was given, in days",
  source: "spec §4",
  needs: ["stats"],
  commands: () => commandsOf(periods, periods, longPause),
  judge: (session) => mustAskFor(session, ({ from, to }) => from !== undefined || to !== undefined),
};

const statsDefaultPeriod: Rule = {
  id: "stats-default-period",
  says: "Statistics without a period cover today and the 30 days before it, by the service's midnight",
  source: "spec §4",
  needs: ["stats"],
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
    const { command, outcome, together } = asked;
    if (!concerns(command)) continue;
    const sent = asked.exchanges.filter(({ operation }) => operation === "stats");
    const problems = sent.map((exchange) => periodProblem(exchange, asked, session.assumptions));
    const [problem] = problems.filter((one) => one !== undefined);
    // Of several at once it isn't known which request is for which, so one right request is enough.
    const isRight = problem === undefined || (together && problems.includes(undefined));
    must(isRight, () => `The client was asked for statistics ${periodIn(command)}. ${problem}.`);
    must(
      sent.length > 0 || outcome.kind === "done" || !isOrdinary(asked, session.assumptions),
      () =>
        `The client was asked for statistics ${periodIn(command)}. It sent nothing, and ${outcomeInWords(outcome)}.`,
    );
    applied += sent.length;
  }
  return applied;
}

function periodIn({ from, to }: PerformedCommandOf<"stats">["command"]): string {
  if (from === undefined && to === undefined) return "without a period";
  return [from && `from ${from}`, to && `to ${to}`].filter(Boolean).join(" ");
}

/** If no day was asked for, the request has none or the default, by the choice of date.timezone. */
function periodProblem(
  { values, atMs }: WireExchange,
  { command, atMs: askedMs }: PerformedCommandOf<"stats">,
  assumptions: Assumptions,
): string | undefined {
  // A client that waits before it sends may have computed the default earlier.
  const todays = [dayAt(askedMs, assumptions), dayAt(atMs, assumptions)];
  const defaults = { from: todays.map((today) => addDays(today, -30)), to: todays };
  for (const name of ["from", "to"] as const) {
    const sent = values.get(name);
    const wanted = command[name];
    const right = wanted === undefined ? [undefined, ...defaults[name]] : [wanted];
    if (right.includes(sent)) continue;
    const expected =
      wanted ??
      `none, or the default: ${defaults[name].at(-1)}, by ${assumptions["date.timezone"].toUpperCase()}`;
    return `${name} was sent as ${JSON.stringify(sent) ?? "nothing"}, expected ${expected}`;
  }
  return undefined;
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

const statsOfASurface: Rule = {
  id: "stats-of-a-surface",
  says: "Statistics are restricted to the surface that was asked for, or to none if none was",
  source: "spec §4",
  needs: ["stats"],
  commands: () => commandsOf(stats, adView),
  judge(session) {
    let applied = 0;
    for (const { command, exchanges, together } of performedCommandsOfKind(session, "stats")) {
      const wanted = queryOf(command, session.surfaces).surface;
      const sent = exchanges
        .filter(({ operation }) => operation === "stats")
        .map(({ values }) => values.get("surface"));
      const wrong = sent.filter((surface) => surface !== wanted);
      must(
        // Of several at once it isn't known which request is for which, so one right request is enough.
        wrong.length === 0 || (together && wrong.length < sent.length),
        () =>
          `The client was asked for statistics of surface ${wanted ?? "(all)"}, but asked the service for ${wrong[0] ?? "(all)"}.`,
      );
      applied += sent.length;
    }
    mustMatchAnswers(session, "stats");
    return applied;
  },
};

const surfacesAsAnswered: Rule = {
  id: "surfaces-as-answered",
  says: "The client lists surfaces as the service does, whatever their status",
  source: "spec §2, §3",
  needs: ["surfaces"],
  assuming: [{ "surface.statuses": "documented" }, { "surface.statuses": "extended" }],
  commands: () => commandsOf(surfaces, adView, shortPause),
  judge: (session) => mustMatchAnswers(session, "surfaces"),
};

const payoutsAsAnswered: Rule = {
  id: "payouts-as-answered",
  says: "The client lists payouts as the service does, paid or not",
  source: "spec §2, §3",
  needs: ["payouts"],
  assuming: (
    [
      ["documented", "empty", "newest-first", "monthly"],
      ["extended", "empty", "oldest-first", "weekly"],
      ["extended", "null", "newest-first", "weekly"],
      ["extended", "absent", "oldest-first", "monthly"],
    ] as const
  ).map(([statuses, reference, order, cycle]) => ({
    "payout.statuses": statuses,
    "payout.txn-id": reference,
    "payout.order": order,
    "payout.cycle": cycle,
  })),
  commands: () => commandsOf(payouts, limitedPayouts(1, 20, 100), adView, longPause),
  judge: (session) => mustMatchAnswers(session, "payouts"),
};

const DEFAULT_LIMIT = 20;
const MOST = 100;

function limitedPayouts(...limits: readonly number[]): fc.Arbitrary<Command> {
  return fc.record({ kind: fc.constant("payouts"), limit: fc.constantFrom(...limits) });
}

const payoutsLimit: Rule = {
  id: "payouts-limit",
  says: "The client sends the limit of payouts that it was given, and lists at most 100 payouts even if the limit is higher",
  source: "spec §4, §8",
  needs: ["payouts"],
  assuming: [{ "payout.limit-over-max": "reject" }, { "payout.limit-over-max": "clamp" }],
  commands: () => commandsOf(limitedPayouts(1, 20, 100, 101), payouts),
  judge(session) {
    let applied = 0;
    for (const { command, exchanges, outcome, together } of performedCommandsOfKind(
      session,
      "payouts",
    )) {
      const sent = exchanges.filter(({ operation }) => operation === "payouts");
      const right = limitsFor(command.limit);
      const wrong = sent.filter(({ values }) => !right.includes(values.get("limit")));
      const asked = `The client was asked for payouts ${command.limit === undefined ? "without a limit" : `with limit ${command.limit}`}`;
      must(
        wrong.length === 0 || (together && wrong.length < sent.length),
        () => `${asked}, but sent limit ${wrong[0]?.values.get("limit") ?? "(none)"}.`,
      );
      const last = together ? undefined : sent.at(-1)?.got;
      must(
        // The service refuses under payout.limit-over-max=reject.
        last === undefined || last.status === 200 || outcome.kind !== "done",
        () =>
          `${asked}. The service refused this with ${last?.status}, but the client said that it was done.`,
      );
      applied += sent.length;
    }
    mustMatchAnswers(session, "payouts");
    return applied;
  },
};

/** The limits that may be sent. Instead of a limit above the maximum, a client may send the maximum. */
function limitsFor(limit: number | undefined): readonly (string | undefined)[] {
  if (limit === undefined) return [undefined, String(DEFAULT_LIMIT)];
  return limit > MOST ? [String(limit), String(MOST)] : [String(limit)];
}

export const reportingRules: readonly Rule[] = [
  statsAsAnswered,
  statsPeriod,
  statsDefaultPeriod,
  statsOfASurface,
  surfacesAsAnswered,
  payoutsAsAnswered,
  payoutsLimit,
];
