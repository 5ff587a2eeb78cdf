/** What a service must do: with surface=s the stats are those of s (§4). */

import { defineScenario } from "../../src/scenario.ts";
import { noFailure, ok, ref } from "../words.ts";

const surface = ref("publishers.0.surfaces.0.id");

export const scenario = defineScenario({
  name: "spec-surface-filter",
  about:
    "With a surface, the totals are the figures of this surface, and the figures are the same as in its row without the filter. Stats of a surface that doesn't exist are refused, or have no figures.",
  steps: [
    { impression: { surface, session_id: "filtered" }, expect: { status: 200 } },
    { stats: { surface }, as: "one", expect: { status: 200 } },
    {
      stats: {},
      expect: ok({ surfaces: { some: { id: surface, impressions: ref("one.impressions") } } }),
    },
    { stats: { surface: "no-such-surface" }, expect: noFailure },
  ],
  expectations: [{ invariant: "S2" }, { invariant: "S3" }],
});
