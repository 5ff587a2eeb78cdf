/** What a client must survive: one session id for several surfaces, ads and publishers. */

import { defineScenario } from "../src/scenario.ts";
import { assume, clickOn, credited, error, newBeside, ref, report, sameAs } from "./words.ts";

const otherSurface = ref("publishers.0.surfaces.1.id");

export const scenario = defineScenario({
  name: "session-reuse",
  about:
    "One session id is used for two surfaces, two ads and two publishers. The service decides what a duplicate is: the same session with the same surface and ad, or alone. Sessions of two publishers are never duplicates, and ids that look alike are different.",
  publishers: 2,
  steps: [
    { impression: { session_id: "s" }, as: "first", expect: credited },
    {
      impression: { session_id: "s", surface: otherSurface },
      as: "onOtherSurface",
      expect: newBeside("first"),
    },
    { impression: { session_id: "s", ad_id: "ad-2" }, as: "otherAd", expect: newBeside("first") },
    { impression: { session_id: "s" }, publisher: 1, as: "theirs", expect: newBeside("first") },
    { impression: { session_id: "s" }, note: "The same in every way.", expect: sameAs("first") },
    {
      impression: { session_id: "s", ad_id: "ad-2" },
      encoding: "form",
      note: "It makes no difference how it is sent.",
      expect: sameAs("otherAd"),
    },
    {
      parallel: {
        steps: [
          { impression: { session_id: "S" } },
          { impression: { session_id: "s " } },
          { impression: { session_id: "1s", ad_id: "ad-" } },
          { impression: { session_id: "-1s", ad_id: "ad" } },
          { impression: { session_id: "é" } },
          { impression: { session_id: "e\u0301" } },
        ],
      },
      note: "Case and spaces count, ad and session are compared separately, and texts aren't normalised.",
      expect: { sent: 6, ok: 6, differentIds: 6 },
    },
    assume("dedup.key", "session"),
    { impression: { session_id: "u" }, as: "only", expect: credited },
    {
      impression: { session_id: "u", ad_id: "ad-2", surface: otherSurface },
      note: "Now the session alone counts: it gets the id of an impression on another surface.",
      expect: sameAs("only"),
    },
    {
      impression: { session_id: "u" },
      publisher: 1,
      note: "Publishers don't affect each other.",
      expect: newBeside("only"),
    },
    clickOn("theirs", { expect: error(404, "impression_not_found") }),
  ],
  expectations: [
    report(["2026-01-15"], { impressions: 10, clicks: 0 }),
    report(["2026-01-15"], { impressions: 2 }, 1),
  ],
});
