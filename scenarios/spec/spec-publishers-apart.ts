/** What a service must do: one publisher's events aren't another's (§2). */

import { defineScenario } from "../../src/scenario.ts";
import { noFailure, ok, ref, statsAround, unchanged } from "../words.ts";

export const scenario = defineScenario({
  name: "spec-publishers-apart",
  about:
    "While one publisher records impressions, the stats of another stay as they were, even if it names the other's surface. The same session id at both is no duplicate. It needs two publishers.",
  steps: [
    ...statsAround(unchanged, [
      {
        repeat: {
          times: 3,
          steps: [{ publisher: 1, impression: { session_id: { numbered: "theirs-" } } }],
        },
        expect: { ok: 3 },
      },
      {
        publisher: 1,
        impression: { surface: ref("publishers.0.surfaces.0.id"), session_id: "astray" },
        note: "It is refused, or theirs.",
        expect: noFailure,
      },
    ]),
    { publisher: 1, impression: { session_id: "shared" }, as: "theirs", expect: { status: 200 } },
    {
      impression: { session_id: "shared" },
      expect: ok({ impression_id: { not: ref("theirs.impression_id") } }),
    },
    { publisher: 1, stats: {}, expect: ok({ publisher_id: ref("publishers.1.id") }) },
  ],
  expectations: [{ invariant: "D3" }],
});
