/** What a service must do: with surface=s the stats are those of s (§4). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-surface-filter",
  about:
    "With a surface, the totals are the figures of this surface, and the figures are the same as in its row without the filter.",
  steps: [
    {
      impression: { surface: { ref: "publishers.0.surfaces.0.id" }, session_id: "filtered" },
      expect: { status: 200 },
    },
    {
      stats: { surface: { ref: "publishers.0.surfaces.0.id" } },
      as: "one",
      expect: { status: 200 },
    },
    {
      stats: {},
      expect: {
        status: 200,
        body: {
          surfaces: {
            some: {
              id: { ref: "publishers.0.surfaces.0.id" },
              impressions: { ref: "one.impressions" },
            },
          },
        },
      },
    },
    { stats: { surface: "no-such-surface" }, note: "It is refused, or has no figures." },
  ],
  expectations: [{ invariant: "S2" }, { invariant: "S3" }],
});
