/** The laws of stats (S1 to S8). */

import { DAY_MS } from "../base/duration.ts";
import { daysApart, sameTotals } from "./calendar-checks.ts";
import type { Member } from "./client-exchange.ts";
import { joinedOf, readLifetime, readPayouts, readStats, type Stats } from "./figures.ts";
import { ensure, ensureSame, inconclusive, type Law, type LawContext, readingsOf } from "./law.ts";
import { hasPublisher } from "./payout-checks.ts";
import { addDays, creditOf, dayAt } from "./read-trace.ts";
import { halfway, type Rerun, rerunCheck } from "./rerun.ts";
import { defaultLength, filtersInRun, sumsInRun } from "./stats-in-run.ts";
import {
  ask,
  copyOf,
  freshKey,
  membersOf,
  ownCopyOf,
  prepareCopy,
  stateOf,
  todayIn,
  type Values,
  viewOf,
  type WorldCopy,
  waitIn,
} from "./world-copy.ts";

export const statsLaws: readonly Law[] = [
  {
    id: "S1",
    says: "The figures of a period are the sum of the figures of its parts.",
    checkCopy: sumOfParts,
  },
  {
    id: "S2",
    says: "Totals are the sum of the surfaces.",
    checkTrace: sumsInRun,
    checkCopy: sumOfSurfaces,
  },
  {
    id: "S3",
    says: "With surface=s the totals are the figures of s.",
    checkTrace: filtersInRun,
    checkCopy: oneSurface,
  },
  {
    id: "S4",
    says: "The default period is from 30 days before today to today.",
    checkTrace: defaultLength,
    checkCopy: defaultPeriod,
  },
  {
    id: "S5",
    says: "Reading changes nothing but the quota and the journal.",
    checkCopy: readingChangesNothing,
  },
  {
    id: "S6",
    says: "Stats don't depend on the order of a day's events on one surface.",
    checkCopy: orderDoesNotShow,
  },
  {
    id: "S7",
    says: "Past days don't change.",
    checkCopy: pastDays,
    checkRerun: rerunCheck(pastDaysHalfway),
  },
  {
    id: "S8",
    says: "Days in UTC and days in India give the same grand total for the same instants.",
    // Even without requests, the seeded history may end on another day.
    checkRerun: [rerunCheck(sameTotals, 0), rerunCheck(daysApart)],
    withoutRerun: "needs a second play in the other time zone: the property tests do it",
  },
];

const figures = ["impressions", "clicks", "micros"] as const;

/** Splits periods in two. Periods begin, end and are split on days on which something may have happened. */
function sumOfParts(played: LawContext): string {
  const copy = copyOf(played);
  const today = todayIn(copy);
  let looked = 0;
  for (const member of membersOf(copy).slice(0, played.sampleSize)) {
    const days = interestingDays(played, copy, joinedOf(member));
    // `cut` is the last day of the first part.
    for (const [place, cut] of days.slice(0, -1).entries()) {
      const [from = cut, to = today] = [days[place - 1], days[place + 1]];
      looked += 1;
      const whole = readStats(copy, member, { from, to });
      const before = readStats(copy, member, { from, to: cut });
      const after = readStats(copy, member, { from: addDays(cut, 1), to });
      for (const figure of figures) {
        const sum = before[figure] + after[figure];
        ensure(
          whole[figure] === sum,
          () =>
            `${figure} of ${member.id} from ${from} to ${to}: ${whole[figure]}, but ${sum} in two parts, until and after ${cut}`,
        );
      }
    }
  }
  return looked === 0
    ? inconclusive("no publisher has existed for two days")
    : `${looked} periods, in a copy of the world`;
}

/** The publisher's first day, a month ago, yesterday, today, and some days with requests. */
function interestingDays(played: LawContext, copy: WorldCopy, joined: string): readonly string[] {
  const today = todayIn(copy);
  const sent = played.gap === undefined ? played.trace.kept : [];
  const days = new Set(sent.map(({ atMs }) => dayAt(atMs, copy.readings)));
  const some = Array.from(days).slice(-played.sampleSize);
  const all = [joined, addDays(today, -31), addDays(today, -1), today, ...some];
  return Array.from(new Set(all))
    .filter((day) => day >= joined && day <= today)
    .sort();
}

function sumOfSurfaces(played: LawContext): string {
  const copy = copyOf(played);
  const members = membersOf(copy);
  const today = todayIn(copy);
  for (const member of members) {
    // A day may have a late click and nothing else.
    const periods = [{ from: joinedOf(member), to: today }, { from: today, to: today }, {}];
    for (const period of periods) {
      const shown = readStats(copy, member, period);
      for (const figure of ["impressions", "micros"] as const) {
        const sum = Array.from(shown.rows.values()).reduce((total, row) => total + row[figure], 0);
        ensure(
          shown[figure] === sum,
          () =>
            `${figure} of ${member.id} are ${shown[figure]}, but those of its surfaces are ${sum}`,
        );
      }
    }
  }
  return `stats of ${members.length} publishers, in a copy of the world`;
}

function oneSurface(played: LawContext): string {
  const copy = copyOf(played);
  const to = todayIn(copy);
  const named: string[] = [];
  for (const member of membersOf(copy).slice(0, Math.max(1, played.sampleSize - 3))) {
    const range = { from: joinedOf(member), to };
    const all = readStats(copy, member, range);
    const asked = member.surfaces.slice(0, played.sampleSize + 2);
    let clicks = 0;
    for (const { id } of asked) {
      const alone = readStats(copy, member, { ...range, surface: id });
      clicks += alone.clicks;
      ensureOnlySurface(id, alone, all, copy);
    }
    const isWhole = asked.length === member.surfaces.length;
    ensure(
      isWhole ? clicks === all.clicks : clicks <= all.clicks,
      () => `${clicks} clicks of ${member.id} by surface, ${all.clicks} in all`,
    );
    named.push(`${asked.length} surfaces of ${member.id}`);
  }
  return `${named.slice(0, 3).join(", ")}, in a copy of the world`;
}

function ensureOnlySurface(id: string, alone: Stats, all: Stats, { readings }: WorldCopy): void {
  const nothing = { impressions: 0, micros: 0 };
  const among = all.rows.get(id) ?? nothing;
  for (const [name, row] of alone.rows) {
    const own = name === id ? among : nothing;
    ensure(
      row.impressions === own.impressions && row.micros === own.micros,
      () =>
        `with surface=${id} the row of ${name} has ${row.impressions} impressions and ${row.micros} micros, not ${own.impressions} and ${own.micros}`,
    );
    ensure(
      name === id || readings["stats.filter-unlisted"] === "zeroed",
      () => `with surface=${id} there is a row of ${name}`,
    );
  }
  ensure(
    alone.impressions === among.impressions && alone.micros === among.micros,
    () =>
      `with surface=${id} the totals are ${alone.impressions} impressions and ${alone.micros} micros, its row has ${among.impressions} and ${among.micros}`,
  );
}

function defaultPeriod(played: LawContext): string {
  const copy = copyOf(played);
  const to = todayIn(copy);
  const from = addDays(to, -30);
  const queries: readonly Values[] = [{}, { from }, { to }, { from, to }];
  for (const member of membersOf(copy)) {
    const shown = queries.map((query) => readStats(copy, member, query));
    for (const [place, one] of shown.entries()) {
      ensure(
        one.from === from && one.to === to,
        () =>
          `asked for ${JSON.stringify(queries[place])}, the period is ${one.from} to ${one.to}, not ${from} to ${to}`,
      );
      ensureSame(shown[0]?.text ?? "", one.text, `asked for ${JSON.stringify(queries[place])}`);
    }
  }
  return "four ways to ask for it, in a copy of the world";
}

function readingChangesNothing(played: LawContext): string {
  const copy = copyOf(played);
  const member = membersOf(copy)[0] ?? copy.probes[0];
  // The first request opens an account, which the state shows.
  freshKey(copy, member);
  ask(copy, member, "surfaces");
  const shown = (): string => {
    copy.answers.clear();
    return `${readLifetime(copy, member).text} ${readPayouts(copy, member).text}`;
  };
  const before = shown();
  const state = stateOf(copy.sim, "without-quotas");
  const surface = member.surfaces[0]?.id ?? "none";
  ask(copy, member, "stats", { surface, from: "2020-01-01" });
  ask(copy, member, "stats", { from: "2026-02-30" });
  ask(copy, member, "surfaces");
  ask(copy, member, "payouts", { limit: "3" });
  ask(copy, member, "payouts", { limit: "999" });
  ensureSame(state, stateOf(copy.sim, "without-quotas"), "reading changed the state");
  ensureSame(before, shown(), "after reads");
  return "state, stats and payouts before and after reads, in a copy of the world";
}

/** Records the same events in two copies, in another order. They have no sessions: de-duplication depends on the order. */
function orderDoesNotShow(played: LawContext): string {
  const count = 3 + (played.gap === undefined ? played.trace.total % 12 : 0);
  const order = Array.from({ length: count }, (_, ad) => ad);
  const shuffled = order.toSorted((a, b) => ((a * 7) % 5) - ((b * 7) % 5) || b - a);
  const figuresAfter = (copy: WorldCopy, ads: readonly number[]): string => {
    const [probe] = copy.probes;
    for (const ad of ads) recordIn(copy, probe, `law S6, ${ad}`, ad % 3 === 0);
    return readLifetime(copy, probe).text;
  };
  const one = figuresAfter(ownCopyOf(played), order);
  const other = figuresAfter(ownCopyOf(played), shuffled);
  ensureSame(one, other, "in another order");
  return `${count} impressions in two orders, in a copy of the world`;
}

function pastDays(played: LawContext): string {
  const copy = copyOf(played);
  const [probe] = copy.probes;
  recordIn(copy, probe, "a day ago", true);
  waitIn(copy, DAY_MS);
  const yesterday = addDays(todayIn(copy), -1);
  const asked = [probe, ...membersOf(copy).slice(0, 1)].filter(
    ({ joined }) => (joined ?? "9999") <= yesterday,
  );
  const past = (member: Member): string =>
    readStats(copy, member, { from: joinedOf(member), to: yesterday }).text;
  const before = asked.map(past);
  for (const member of asked) recordIn(copy, member, "today", true);
  for (const [index, member] of asked.entries()) ensureSame(before[index] ?? "", past(member));
  return `${asked.length} publishers' past days before and after events of today, in a copy of the world`;
}

/** Records an impression and, if that succeeds, a click on it. */
function recordIn(copy: WorldCopy, member: Member, ad_id: string, isClicked: boolean): void {
  const made = creditOf(ask(copy, member, "impression", viewOf(member, ad_id)), "impression");
  if (made !== undefined && isClicked) ask(copy, member, "click", { impression_id: made.id });
}

/** Checks that the days before the middle of the run have the same figures at the end. */
function pastDaysHalfway(rerun: Rerun): string {
  const { played } = rerun;
  const readings = readingsOf(played);
  const read = (sim: WorldCopy["sim"], asked: readonly Member[], to: string): string[] => {
    const copy = prepareCopy(sim.fork(), readings, []);
    return asked.map((member) => readStats(copy, member, { from: joinedOf(member), to }).text);
  };
  const { found, sim } = halfway(rerun, (world) => {
    const to = addDays(dayAt(world.clock.now(), readings), -1);
    const asked = played.members.filter(
      (member) => joinedOf(member) <= to && hasPublisher(world, member.id),
    );
    return { to, asked, before: read(world, asked, to) };
  });
  const { to, asked, before } = found ?? { to: "", asked: [], before: [] };
  const after = read(sim, asked, to);
  for (const [index, text] of before.entries()) ensureSame(text, after[index] ?? "");
  return before.length === 0
    ? inconclusive("no publisher had a past day halfway")
    : `${before.length} publishers' past days halfway and at the end`;
}
