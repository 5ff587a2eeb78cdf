/** The invariants of stats (S1 to S4). */

import { ensure, ensureSame, inconclusive } from "./ensure.ts";
import { joinedOf, readStats, type Stats } from "./figures.ts";
import type { Invariant } from "./invariant.ts";
import { addDays, dayAt } from "./read-trace.ts";
import { defaultLength, filtersInRun, sumsInRun } from "./stats-in-run.ts";
import { membersOf, todayIn, type Values, type WorldCopy } from "./world-copy.ts";

export const statsInvariants: readonly Invariant[] = [
  {
    id: "S1",
    says: "The figures of a period are the sum of the figures of its parts.",
    tried: sumOfParts,
  },
  {
    id: "S2",
    says: "Totals are the sum of the surfaces.",
    seen: sumsInRun,
    tried: sumOfSurfaces,
  },
  {
    id: "S3",
    says: "With surface=s the totals are the figures of s.",
    seen: filtersInRun,
    tried: oneSurface,
  },
  {
    id: "S4",
    says: "The default period is from 30 days before today to today.",
    seen: defaultLength,
    tried: defaultPeriod,
  },
];

/** At most so many publishers, days or surfaces are read for one invariant. */
const MAX_TRIED = 4;

const figures = ["impressions", "clicks", "micros"] as const;

/** Splits periods in two. Periods begin, end and are split on days on which something may have happened. */
function sumOfParts(copy: WorldCopy): string {
  const today = todayIn(copy);
  let looked = 0;
  for (const member of membersOf(copy).slice(0, MAX_TRIED)) {
    const days = interestingDays(copy, joinedOf(member));
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
function interestingDays(copy: WorldCopy, joined: string): readonly string[] {
  const today = todayIn(copy);
  const days = new Set(copy.trace.kept.map(({ atMs }) => dayAt(atMs, copy.assumptions)));
  const some = Array.from(days).slice(-MAX_TRIED);
  const all = [joined, addDays(today, -31), addDays(today, -1), today, ...some];
  return Array.from(new Set(all))
    .filter((day) => day >= joined && day <= today)
    .sort();
}

function sumOfSurfaces(copy: WorldCopy): string {
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

function oneSurface(copy: WorldCopy): string {
  const [member] = membersOf(copy);
  if (member === undefined) return inconclusive("no publisher took part");
  const range = { from: joinedOf(member), to: todayIn(copy) };
  const all = readStats(copy, member, range);
  const asked = member.surfaces.slice(0, MAX_TRIED);
  let clicks = 0;
  for (const { id } of asked) {
    const alone = readStats(copy, member, { ...range, surface: id });
    clicks += alone.clicks;
    ensureOnlySurface(id, alone, all);
  }
  const isWhole = asked.length === member.surfaces.length;
  ensure(
    isWhole ? clicks === all.clicks : clicks <= all.clicks,
    () => `${clicks} clicks of ${member.id} by surface, ${all.clicks} in all`,
  );
  return `${asked.length} surfaces of ${member.id}, in a copy of the world`;
}

function ensureOnlySurface(id: string, alone: Stats, all: Stats): void {
  const nothing = { impressions: 0, micros: 0 };
  const among = all.rows.get(id) ?? nothing;
  for (const [name, row] of alone.rows) {
    const own = name === id ? among : nothing;
    ensure(
      row.impressions === own.impressions && row.micros === own.micros,
      () =>
        `with surface=${id} the row of ${name} has ${row.impressions} impressions and ${row.micros} micros, not ${own.impressions} and ${own.micros}`,
    );
    ensure(name === id, () => `with surface=${id} there is a row of ${name}`);
  }
  ensure(
    alone.impressions === among.impressions && alone.micros === among.micros,
    () =>
      `with surface=${id} the totals are ${alone.impressions} impressions and ${alone.micros} micros, its row has ${among.impressions} and ${among.micros}`,
  );
}

function defaultPeriod(copy: WorldCopy): string {
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
