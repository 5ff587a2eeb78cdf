/** What a service must do: the dates of a period exist (§1, §2). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-dates",
  about:
    "All dates are ISO 8601 calendar dates. A request with a day that no calendar has, or with another form of a date, is refused or answered for a period whose dates exist.",
  steps: [
    { stats: { from: "2025-02-30", to: "2025-03-01" } },
    { stats: { from: "2025-13-01", to: "2026-01-01" } },
    { stats: { from: "yesterday" } },
    { stats: { from: { daysAgo: 3 } }, expect: { status: 200 } },
  ],
  expectations: [{ invariant: "H1" }],
});
