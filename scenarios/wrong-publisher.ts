/** What a client must survive: a valid key, and somebody else's publisher id. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "wrong-publisher",
  about:
    "A client asks for another publisher with its own key, as if two configurations were mixed up. It learns nothing and records nothing, and the other publisher's figures and quota don't change.",
  steps: [
    {
      impression: { publisher_id: { ref: "publishers.1.id" } },
      note: "My key, their id, my surface.",
      expect: {
        status: 403,
        headers: { "x-ratelimit-remaining": "9999" },
        body: { status: 403, code: "foreign_publisher", parameter: "publisher_id" },
      },
    },
    {
      impression: {
        publisher_id: { ref: "publishers.1.id" },
        surface: { ref: "publishers.1.surfaces.0.id" },
      },
      note: "My key, and all the rest theirs.",
      expect: { status: 403, body: { code: "foreign_publisher" } },
    },
    {
      impression: { surface: { ref: "publishers.1.surfaces.0.id" } },
      note: "Everything is mine except the surface.",
      expect: { status: 404, body: { code: "surface_not_found", parameter: "surface" } },
    },
    {
      stats: { publisher_id: { ref: "publishers.1.id" } },
      expect: {
        status: 403,
        headers: { "x-ratelimit-remaining": "59" },
        body: { code: "foreign_publisher", revenue_inr: { absent: true } },
      },
    },
    {
      stats: { surface: { ref: "publishers.1.surfaces.0.id" } },
      expect: { status: 404, body: { code: "surface_not_found" } },
    },
    {
      surfaces: { publisher_id: { ref: "publishers.1.id" } },
      expect: { status: 403, body: { code: "foreign_publisher", surfaces: { absent: true } } },
    },
    {
      payouts: { publisher_id: { ref: "publishers.1.id" } },
      expect: {
        status: 403,
        headers: { "x-ratelimit-remaining": "56" },
        body: { code: "foreign_publisher", payouts: { absent: true } },
      },
    },
    {
      surfaces: { publisher_id: "pub_0000000000000" },
      as: "nobody",
      note: "No publisher has this id.",
      expect: { status: 404, body: { code: "publisher_not_found", parameter: "publisher_id" } },
    },
    {
      assume: { "auth.key-scope": "publisher-hidden" },
      note: "This service doesn't tell who exists: the answer is exactly the same.",
    },
    {
      surfaces: { publisher_id: { ref: "publishers.1.id" } },
      expect: { status: 404, body: { ref: "nobody" } },
    },
    {
      publisher: 1,
      surfaces: {},
      note: "The other one has all its quota.",
      expect: { status: 200, headers: { "x-ratelimit-remaining": "59" } },
    },
    {
      expect: {
        stats: { from: "2026-01-15" },
        publisher: 1,
        is: { impressions: 0, clicks: 0, revenue_inr: 0 },
      },
    },
    {
      assume: { "auth.key-scope": "any" },
      note: "At this service every key serves everybody: nobody notices the mix-up, and the other publisher earns.",
    },
    {
      impression: {
        publisher_id: { ref: "publishers.1.id" },
        surface: { ref: "publishers.1.surfaces.0.id" },
      },
      as: "misplaced",
      expect: {
        status: 200,
        // The recording limit applies to the publisher in the request.
        headers: { "x-ratelimit-remaining": "9999" },
        body: { ok: true, revenue_credited_inr: { atLeast: 0.000001 } },
      },
    },
    {
      surfaces: { publisher_id: { ref: "publishers.1.id" } },
      note: "The reporting limit is the key's.",
      expect: { status: 200, headers: { "x-ratelimit-remaining": "53" } },
    },
  ],
  expectations: [
    { stats: { from: "2026-01-15" }, is: { impressions: 0, clicks: 0, revenue_inr: 0 } },
    {
      stats: { from: "2026-01-15" },
      publisher: 1,
      is: { impressions: 1, clicks: 0, revenue_inr: { ref: "misplaced.revenue_credited_inr" } },
    },
    {
      audit: {
        balanced: true,
        total: { impressions: { attempts: 4, applied: 1, refused: 3 } },
      },
    },
  ],
});
