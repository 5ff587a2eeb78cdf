/** The invariants of stats (S1 to S4). */

import { MICROS_PER_PAISA } from "../base/money.ts";
import { addDays, dayAt, read, statsBody, valuesOf } from "./answers.ts";
import type { Played } from "./client-exchange.ts";
import { ensure, ensureEach } from "./ensure.ts";
import { type Invariant, readStats, todayIn, type WorldCopy } from "./invariant.ts";

export const statsInvariants: readonly Invariant[] = [
  { id: "S1", says: "A period's figures are the sum of its parts' figures.", tried: sumOfParts },
  { id: "S2", says: "Totals are the sum of the surfaces.", seen: totalsAreSums },
  { id: "S3", says: "With surface=s the totals are the figures of s.", seen: totalsOfOne },
  { id: "S4", says: "The default period is from today-30 to today.", seen: defaultPeriod },
];

/** Splits each publisher's time in two, before a month, a week and a day ago. */
function sumOfParts(copy: WorldCopy): string {
  const to = todayIn(copy);
  const periods = copy.members.flatMap((member) => {
    const { joined: from = to } = member;
    const cuts = [-31, -8, -1].map((days) => addDays(to, days)).filter((cut) => cut >= from);
    return cuts.map((cut) => ({ member, from, cut }));
  });
  return ensureEach(periods, "periods of two days", ({ member, from, cut }) => {
    const whole = readStats(copy, member, { from, to });
    const first = readStats(copy, member, { from, to: cut });
    const second = readStats(copy, member, { from: addDays(cut, 1), to });
    for (const figure of ["impressions", "clicks", "micros"] as const) {
      const sum = first[figure] + second[figure];
      const why = `${whole[figure]} from ${from} to ${to}, but ${sum} until and after ${cut}`;
      ensure(whole[figure] === sum, `${figure} of ${member.id}: ${why}`);
    }
  });
}

/** `rounding`: how many micros an amount may be off. A service may round to the paisa, up or down. */
function statsRead({ trace, assumptions }: Played) {
  const rounding = assumptions?.["money.precision"] === "exact" ? 0 : MICROS_PER_PAISA;
  return trace
    .ownAnswers("stats")
    .filter(({ status, text }) => status === 200 && text.startsWith("{"))
    .map((one) => ({
      ...read(statsBody, one.text),
      sent: valuesOf(one),
      atMs: one.atMs,
      rounding,
    }));
}

function totalsAreSums(played: Played): string {
  return ensureEach(statsRead(played), "stats", ({ rows, impressions, micros, rounding }) => {
    const shown = rows.reduce((sum, row) => sum + row.impressions, 0);
    const earned = rows.reduce((sum, row) => sum + row.micros, 0);
    ensure(shown === impressions, `surfaces: ${shown} impressions, total: ${impressions}`);
    const isSum = Math.abs(earned - micros) <= rounding * (rows.length + 1);
    ensure(isSum, `surfaces: ${earned} micros, total: ${micros}`);
  });
}

function totalsOfOne(played: Played): string {
  const filtered = statsRead(played).filter(({ sent }) => sent.has("surface"));
  return ensureEach(filtered, "stats of a surface", ({ sent, rows, ...total }) => {
    const surface = sent.get("surface");
    const { impressions = 0, micros = 0 } = rows.find(({ id }) => id === surface) ?? {};
    const isSame =
      impressions === total.impressions && Math.abs(micros - total.micros) <= total.rounding * 2;
    const figures = `${impressions} impressions and ${micros} micros`;
    const why = `has ${figures}, but the totals are ${total.impressions} and ${total.micros}`;
    ensure(isSame, `with surface=${surface} this surface ${why}`);
  });
}

function defaultPeriod(played: Played): string {
  const { assumptions, isExactTime } = played;
  const byDefault = statsRead(played).filter(({ sent }) => !sent.has("from") && !sent.has("to"));
  return ensureEach(byDefault, "stats without a period", ({ from, to, atMs }) => {
    // The day of another service is unknown.
    const today = assumptions && isExactTime ? dayAt(atMs, assumptions) : to;
    const isDefault = to === today && from === addDays(today, -30);
    ensure(isDefault, `the default period is ${from} to ${to}, not 30 days to ${today}`);
  });
}
