/** What a client must survive: a valid key, and somebody else's publisher id. */

import { defineScenario } from "../src/scenario.ts";
import { assume, credited, error, leaves, ref, report } from "./words.ts";

const publisher_id = ref("publishers.1.id");
const surface = ref("publishers.1.surfaces.0.id");
const foreign = error(403, "foreign_publisher", "publisher_id");
const noSurface = error(404, "surface_not_found", "surface");

export const scenario = defineScenario({
  name: "wrong-publisher",
  about:
    "A client asks for another publisher with its own key, as if two configurations were mixed up. It learns nothing and records nothing, and the other publisher's figures and quota don't change.",
  steps: [
    { impression: { publisher_id }, note: "My key, their id, my surface.", expect: foreign },
    {
      impression: { publisher_id, surface },
      note: "My key, all the rest theirs.",
      expect: foreign,
    },
    { impression: { surface }, note: "Everything is mine except the surface.", expect: noSurface },
    { stats: { publisher_id }, expect: foreign },
    { stats: { surface }, expect: noSurface },
    { surfaces: { publisher_id }, expect: foreign },
    { payouts: { publisher_id }, expect: { ...leaves(56), ...foreign } },
    {
      surfaces: { publisher_id: "pub_0000000000000" },
      as: "nobody",
      note: "No publisher has this id.",
      expect: error(404, "publisher_not_found", "publisher_id"),
    },
    assume("auth.key-scope", "publisher-hidden", "This service doesn't tell who exists."),
    { surfaces: { publisher_id }, expect: { status: 404, body: ref("nobody") } },
    { publisher: 1, surfaces: {}, note: "The other one has all its quota.", expect: leaves(59) },
    { expect: report(["2026-01-15"], { impressions: 0, clicks: 0, revenue_inr: 0 }, 1) },
    assume("auth.key-scope", "any", "Every key serves everybody: the other publisher earns."),
    {
      impression: { publisher_id, surface },
      note: "The recording limit is that of the publisher in the request …",
      expect: { ...leaves(9999), ...credited },
    },
    { surfaces: { publisher_id }, note: "… the reporting limit is the key's.", expect: leaves(53) },
  ],
  expectations: [
    report(["2026-01-15"], { impressions: 0, clicks: 0, revenue_inr: 0 }),
    report(["2026-01-15"], { impressions: 1, clicks: 0 }, 1),
  ],
});
