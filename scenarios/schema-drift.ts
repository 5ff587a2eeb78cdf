/** What a client must survive: undocumented fields, members in another order, ids and errors in another format. */

import { defineScenario, type Scenario, type Step } from "../src/scenario.ts";

const EXTRA = { x_note: { type: "string" }, x_reserved: null } as const;

/** A publisher uses every operation with ids in this format. Each id is opaque and works wherever it is sent. */
function withIds(format: "uuid" | "digits" | "url-unsafe", publisher: number): Step[] {
  const lengths = { uuid: 36, digits: 20, "url-unsafe": 20 };
  const id = { length: lengths[format] };
  const shown = `shown-${format}`;
  const click = `click-${format}`;
  return [
    { assume: { "ids.format": format } },
    {
      publisher,
      impression: { session_id: "visit" },
      as: shown,
      expect: { status: 200, body: { ok: true, impression_id: id } },
    },
    {
      publisher,
      impression: { session_id: "visit" },
      encoding: "query",
      note: "In a query such an id has to be escaped.",
      expect: {
        status: 200,
        body: { impression_id: { ref: `${shown}.impression_id` }, revenue_credited_inr: 0 },
      },
    },
    {
      publisher,
      click: { impression_id: { ref: `${shown}.impression_id` } },
      encoding: "form",
      as: click,
      expect: { status: 200, body: { ok: true, click_id: id } },
    },
    {
      publisher,
      stats: {
        from: "2026-01-15",
        surface: { ref: `publishers.${publisher}.surfaces.0.id` },
      },
      expect: {
        status: 200,
        body: {
          publisher_id: { ref: `publishers.${publisher}.id` },
          impressions: 1,
          clicks: 1,
          revenue_inr: {
            sum: [
              { ref: `${shown}.revenue_credited_inr` },
              { ref: `${click}.revenue_credited_inr` },
            ],
          },
          surfaces: [{ id: { ref: `publishers.${publisher}.surfaces.0.id` }, impressions: 1 }],
        },
      },
    },
  ];
}

/** The same refusal in another format. A client can rely only on the status. */
function refusedAs(
  shape: "envelope" | "flat" | "list" | "text" | "html" | "empty",
  contentType: string | { readonly absent: true },
  seen: Pick<NonNullable<Extract<Step, { readonly click?: unknown }>["expect"]>, "body" | "text">,
): Step[] {
  return [
    { assume: { "errors.body": shape } },
    {
      click: { impression_id: "none" },
      expect: { status: 404, headers: { "content-type": contentType }, ...seen },
    },
  ];
}

export const scenario: Scenario = defineScenario({
  name: "schema-drift",
  about:
    "Answers have undocumented fields, keys in any order, another Content-Type, ids in other forms and errors in other shapes. A client that reads what it needs by name isn't affected.",
  assumptions: { "response.form": "evolved" },
  steps: [
    {
      impression: { session_id: "visit" },
      as: "shown",
      expect: {
        status: 200,
        headers: { "content-type": "application/json; charset=utf-8" },
        text: { not: { startsWith: '{"ok":true,"impression_id"' } },
        body: {
          ...EXTRA,
          x_context: { type: "object" },
          ok: true,
          impression_id: { length: 17 },
          revenue_credited_inr: { atLeast: 0.000001 },
        },
      },
    },
    {
      click: { impression_id: { ref: "shown.impression_id" } },
      as: "click",
      expect: {
        status: 200,
        text: { not: { startsWith: '{"ok":true,"click_id"' } },
        body: { ...EXTRA, ok: true, click_id: { length: 17 } },
      },
    },
    {
      stats: { from: "2026-01-15" },
      expect: {
        status: 200,
        text: { not: { startsWith: '{"publisher_id"' } },
        body: {
          ...EXTRA,
          publisher_id: { ref: "publishers.0.id" },
          period: { ...EXTRA, from: "2026-01-15", to: "2026-01-15" },
          impressions: 1,
          clicks: 1,
          revenue_inr: {
            sum: [{ ref: "shown.revenue_credited_inr" }, { ref: "click.revenue_credited_inr" }],
          },
          surfaces: { every: { ...EXTRA, id: { type: "string" }, revenue: { type: "number" } } },
        },
      },
    },
    {
      surfaces: {},
      expect: {
        status: 200,
        body: {
          ...EXTRA,
          surfaces: { every: { ...EXTRA, status: "active", cpm_range: { length: 2 } } },
        },
      },
    },
    {
      payouts: {},
      expect: {
        status: 200,
        body: {
          ...EXTRA,
          payouts: { every: { ...EXTRA, status: "paid", amount_inr: { atLeast: 500 } } },
          pending_inr: { type: "number" },
        },
      },
    },
    {
      click: { impression_id: "none" },
      note: "Errors have nothing added, and their keys in the usual order.",
      expect: {
        status: 404,
        headers: { "content-type": "application/problem+json" },
        text: { startsWith: '{"type"' },
        body: { status: 404, code: "impression_not_found", x_note: { absent: true } },
      },
    },
    ...refusedAs("envelope", "application/json", {
      body: { error: { code: "impression_not_found", message: { type: "string" } } },
    }),
    ...refusedAs("flat", "application/json", { body: { error: { type: "string" } } }),
    ...refusedAs("list", "application/json", {
      body: { errors: [{ code: "impression_not_found" }] },
    }),
    ...refusedAs("text", "text/plain; charset=utf-8", { text: { startsWith: "impression_id" } }),
    ...refusedAs("html", "text/html; charset=utf-8", { text: { startsWith: "<!doctype html>" } }),
    ...refusedAs("empty", { absent: true }, { text: "" }),
    ...withIds("uuid", 1),
    ...withIds("digits", 2),
    ...withIds("url-unsafe", 3),
    {
      click: { impression_id: { ref: "shown.impression_id" } },
      note: "Ids that a client held from before stopped working with the first change.",
      expect: { status: 404, text: "" },
    },
    { assume: { "ids.format": "prefixed", "response.form": "documented" } },
    {
      click: { impression_id: { ref: "shown.impression_id" } },
      note: "With the old form the old ids work again.",
      expect: {
        status: 200,
        text: { startsWith: '{"ok":true,"click_id":' },
        body: { click_id: { ref: "click.click_id" }, revenue_credited_inr: 0 },
      },
    },
  ],
  expectations: [
    {
      audit: {
        balanced: true,
        total: {
          impressions: { attempts: 7, applied: 4, duplicatesSuppressed: 3 },
          clicks: { attempts: 13, applied: 4, duplicatesSuppressed: 1, refused: 8 },
        },
      },
    },
  ],
});
