/** What a service must do: the dates of a period exist (§1, §2). */

import { defineScenario } from "../../src/scenario.ts";
import { noFailure } from "../words.ts";

export const scenario = defineScenario({
  name: "spec-dates",
  about:
    "All dates are ISO 8601 calendar dates. A request with a day that no calendar has, with another form of a date, or with a period that ends before it begins, is refused or answered for a period whose dates exist. It never makes the service fail.",
  steps: [
    { stats: { from: "2025-02-30", to: "2025-03-01" }, expect: noFailure },
    { stats: { from: "2025-13-01", to: "2026-01-01" }, expect: noFailure },
    { stats: { from: "yesterday" }, expect: noFailure },
    { stats: { from: { daysAgo: 2 }, to: { daysAgo: 5 } }, expect: noFailure },
    { stats: { from: { daysAgo: 3 } }, expect: { status: 200 } },
  ],
  expectations: [{ invariant: "H1" }],
});
