/** What a client must survive: a surface is paused during traffic and becomes active again later. */

import { defineScenario, type TrafficStep } from "../src/scenario.ts";
import {
  assume,
  clickOn,
  credited,
  error,
  ref,
  sameAs,
  signUp,
  sumOf,
  uncredited,
} from "./words.ts";

const publisher = "station";
const surface = ref("station.surfaces.1.id");
const inactive = error(409, "surface_inactive", "surface");

/** Impressions on both surfaces. */
const traffic: TrafficStep["traffic"] = {
  for: "20s",
  arrivals: { kind: "constant", rate: "10/s" },
  publishers: [publisher],
};

export const scenario = defineScenario({
  name: "surface-paused",
  about:
    "One of two surfaces is paused while traffic flows, and is active again later. Meanwhile its impressions get 409 and don't count. The other surface is not affected, and earlier impressions can still be clicked. Once the surface is active again it earns again.",
  steps: [
    signUp(publisher, { Sidebar: 40, Footer: 40 }),
    { publisher, impression: { surface, session_id: "early" }, as: "early", expect: credited },
    { traffic, expect: { sent: 200, ok: 200 } },
    { publisher, stats: {}, as: "before", expect: { status: 200 } },
    { setSurface: { publisher, surface: 1, status: "paused" } },
    {
      publisher,
      surfaces: {},
      expect: { body: { surfaces: [{ status: "active" }, { name: "Footer", status: "paused" }] } },
    },
    {
      traffic,
      as: "paused",
      note: "The client hasn't noticed, and shows ads on both.",
      expect: { sent: 200, ok: { atLeast: 50 }, refused: { atLeast: 50 }, failed: 0 },
    },
    { publisher, impression: { surface, session_id: "while-paused" }, expect: inactive },
    {
      publisher,
      impression: { surface, session_id: "early" },
      note: "An impression that was recorded before is refused too.",
      expect: inactive,
    },
    clickOn("early", { publisher, note: "The ad was on the screen already.", expect: credited }),
    {
      expect: {
        publisher,
        stats: {},
        is: { impressions: sumOf("before.impressions", "paused.ok"), clicks: 1 },
      },
    },
    assume("surface.inactive", "uncredited", "This service records without paying."),
    { publisher, impression: { surface, session_id: "unpaid" }, as: "unpaid", expect: uncredited },
    { setSurface: { publisher, surface: 1, status: "active" } },
    {
      publisher,
      impression: { surface, session_id: "while-paused" },
      note: "What was refused is recorded now …",
      expect: credited,
    },
    {
      publisher,
      impression: { surface, session_id: "unpaid" },
      note: "… what was recorded unpaid stays unpaid.",
      expect: sameAs("unpaid"),
    },
  ],
  expectations: [
    {
      publisher,
      stats: { surface },
      is: { impressions: { sum: [ref("before.surfaces.1.impressions"), 2] } },
    },
  ],
});
