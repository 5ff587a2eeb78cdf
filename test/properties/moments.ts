/** The instants at which something may change: edges of days, windows, quotas and cycles. */

import { addDays, midnightOffsetsMs } from "../oracle/calendar.ts";
import { clickWindowsMs, dedupWindowsMs } from "../oracle/recording.ts";
import type { Edge } from "./commands.ts";
import type { Stage } from "./stage.ts";

const DAY_MS = 86_400_000;

/** The next such instant; among several `by` chooses. It may be one that has passed, or that never comes. */
export function momentOf(edge: Edge, stage: Stage, nowMs: number, by: number): number {
  return moments[edge](stage, nowMs, by);
}

const moments: Readonly<Record<Edge, (stage: Stage, nowMs: number, by: number) => number>> = {
  moment: (_, nowMs, by) => nowMs + (by % 3000),
  midnight: (stage, nowMs) => midnightOf(addDays(stage.oracle.dayOf(nowMs), 1), stage),
  minute: (_, nowMs) => (Math.floor(nowMs / 60_000) + 1) * 60_000,
  quota: ({ oracle }, nowMs) => oracle.refusedUntilMs ?? nowMs,
  "dedup-window"({ oracle, choices }, nowMs, by) {
    const sessions = oracle.facts.impressions.filter((one) => one.sessionId !== undefined);
    const one = sessions[sessions.length - 1 - (by % 2)];
    return (one?.atMs ?? nowMs) + dedupWindowsMs[choices["dedup.window"]];
  },
  "click-window"({ oracle, choices }, nowMs, by) {
    const { impressions } = oracle.facts;
    const one = impressions[impressions.length - 1 - (by % 2)];
    return (one?.atMs ?? nowMs) + clickWindowsMs[choices["click.window"]];
  },
  payday(stage, nowMs) {
    const today = stage.oracle.dayOf(nowMs);
    return midnightOf(paydaysFrom(addDays(today, 1))[0] ?? today, stage);
  },
  course(stage, nowMs, by) {
    const today = stage.oracle.dayOf(nowMs);
    const changes = paydaysFrom(addDays(today, -LONGEST_COURSE_DAYS))
      .filter((payday) => payday <= today)
      .flatMap((payday) => courseDays.map((days) => addDays(payday, days)))
      .filter((date) => date > today);
    return midnightOf(changes[by % Math.max(1, changes.length)] ?? today, stage);
  },
  days: (stage, nowMs, by) => midnightOf(addDays(stage.oracle.dayOf(nowMs), 1 + (by % 45)), stage),
  "leap-day"(stage, nowMs) {
    const year = Number(stage.oracle.dayOf(nowMs).slice(0, 4));
    return midnightOf(`${(Math.floor(year / 4) + 1) * 4}-02-29`, stage);
  },
  "year-end"(stage, nowMs) {
    const year = Number(stage.oracle.dayOf(nowMs).slice(0, 4));
    return midnightOf(`${year + 1}-01-01`, stage);
  },
  years: (_, nowMs, by) => nowMs + (1 + (by % 2)) * 365 * DAY_MS + by,
};

/** The days, counted from its date, on which a payout may get another status. */
const courseDays = [3, 15, 25, 27, 40, 42];
const LONGEST_COURSE_DAYS = 42;

/** The days on which months are paid, of the 50 that begin with this one. */
function paydaysFrom(date: string): string[] {
  const days = Array.from({ length: 50 }, (_, later) => addDays(date, later));
  return days.filter((day) => day.endsWith("-07"));
}

function midnightOf(date: string, { choices }: Stage): number {
  return Date.parse(`${date}T00:00:00Z`) - midnightOffsetsMs[choices["date.timezone"]];
}
