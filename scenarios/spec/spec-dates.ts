/** What a service must do: a date that doesn't exist is refused (§1, §4). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-dates",
  about:
    "All dates are ISO 8601 calendar dates. A day that no calendar has, or another form of a date, isn't answered with 200.",
  steps: [
    { stats: { from: "2025-02-30", to: "2025-03-01" }, expect: { status: { not: 200 } } },
    { stats: { from: "2025-13-01", to: "2026-01-01" }, expect: { status: { not: 200 } } },
    { stats: { from: "yesterday" }, expect: { status: { not: 200 } } },
  ],
});
