/** What a client must survive: the default period has 31 days and moves every midnight. */

import { defineScenario, type Step } from "../src/scenario.ts";
import { credited, error } from "./words.ts";

const publisher = "newcomer";

type Period = Extract<Step, { readonly stats?: unknown }>["stats"];

/** Asks with these dates, or none, and gets this period. */
function gets(from: string, to: string, impressions: number, stats: Period, note: string): Step {
  const body = { period: { from, to }, impressions };
  return { stats, publisher, note, expect: { status: 200, body } };
}

export const scenario = defineScenario({
  name: "default-period",
  about:
    "Without dates the stats cover 31 days: from 30 days before today to today. An event of the first day is no longer included one day later. With `to` alone, the period can end before its default start, and is then refused.",
  start: "2026-03-01T00:00:00Z",
  steps: [
    { signUp: {}, as: publisher },
    { impression: {}, publisher, as: "first", expect: credited },
    { advance: { to: "2026-03-31T23:59:59.999Z" } },
    { impression: {}, publisher, as: "last", expect: credited },
    gets("2026-03-01", "2026-03-31", 2, {}, "The last millisecond with the first impression."),
    gets(
      ...(["2026-03-01", "2026-03-30", 1, { to: "2026-03-30" }] as const),
      "The default start counts back from today, not from `to`.",
    ),
    { advance: "1ms" },
    gets("2026-03-02", "2026-04-01", 1, {}, "The first impression has left it."),
    gets(
      ...(["2026-03-01", "2026-04-01", 2, { from: "2026-03-01" }] as const),
      "A client that asks for that day still gets it.",
    ),
    gets("2026-03-02", "2026-03-02", 0, { to: "2026-03-02" }, "A period of one day."),
    {
      stats: { to: "2026-03-01" },
      publisher,
      note: "The default start is the day after: the period is inverted.",
      expect: error(400, "invalid_parameter", "to"),
    },
    {
      stats: { from: "2026-04-02" },
      publisher,
      note: "The default end is today, the day before.",
      expect: error(400, "invalid_parameter", "from"),
    },
    { advance: { to: "2026-05-01T00:00:00Z" } },
    gets("2026-04-01", "2026-05-01", 0, {}, "After a month of 30 days, all of it and today."),
  ],
});
