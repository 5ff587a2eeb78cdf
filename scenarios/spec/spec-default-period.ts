/** What a service must do: without dates the period is the last 30 days and today (§4). */

import { defineScenario } from "../../src/scenario.ts";
import { ok, ref } from "../words.ts";

const [from, to] = [ref("usual.period.from"), ref("usual.period.to")];

export const scenario = defineScenario({
  name: "spec-default-period",
  about:
    "Without dates the stats cover the period from 30 days before today to today. Whoever names its two dates gets the same period, and so does whoever names only one of them.",
  steps: [
    { stats: {}, as: "usual", expect: { status: 200 } },
    { stats: { from, to }, expect: ok({ period: { from, to } }) },
    { stats: { from }, expect: ok({ period: { from, to } }) },
    {
      stats: { to: { daysAgo: 5 } },
      note: "The start counts back from today, whatever the end is.",
      expect: ok({ period: { from } }),
    },
  ],
  expectations: [{ invariant: "S4" }],
});
