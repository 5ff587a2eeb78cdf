/** What a client must survive: undocumented fields, members in another order, ids and errors in another format. */

import { type AnswerExpectation, defineScenario, type Step } from "../src/scenario.ts";
import { clickOn, creditOf, error, ok, ref, sameAs } from "./words.ts";

const EXTRA = { x_note: { type: "string" }, x_reserved: null } as const;

/** A publisher uses every operation with ids in this format. Each id is opaque and works wherever it is sent. */
function withIds(format: "uuid" | "digits" | "url-unsafe", publisher: number): Step[] {
  const id = { length: format === "uuid" ? 36 : 20 };
  const surface = ref(`publishers.${publisher}.surfaces.0.id`);
  const [shown, click] = [`shown-${format}`, `click-${format}`];
  return [
    { assume: { "ids.format": format } },
    {
      publisher,
      impression: { session_id: "visit", surface },
      as: shown,
      expect: ok({ impression_id: id }),
    },
    {
      publisher,
      impression: { session_id: "visit", surface },
      encoding: "query",
      note: "In a query such an id has to be escaped.",
      expect: sameAs(shown),
    },
    clickOn(shown, { publisher, encoding: "form", as: click, expect: ok({ click_id: id }) }),
    {
      publisher,
      stats: { from: "2026-01-15", surface },
      expect: ok({
        publisher_id: ref(`publishers.${publisher}.id`),
        revenue_inr: creditOf(shown, click),
        surfaces: [{ id: surface, impressions: 1 }],
      }),
    },
  ];
}

/** The same refusal in another format. A client can rely only on the status. */
function refusedAs(
  shape: "envelope" | "flat" | "list" | "text" | "html" | "empty",
  contentType: string | { readonly absent: true },
  seen: Pick<AnswerExpectation, "body" | "text">,
): Step[] {
  const headers = { "content-type": contentType };
  return [
    { assume: { "errors.body": shape } },
    { click: { impression_id: "none" }, expect: { status: 404, headers, ...seen } },
  ];
}

const code = "impression_not_found";
const json = "application/json";

export const scenario = defineScenario({
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
        body: { ...EXTRA, x_context: { type: "object" }, ok: true, impression_id: { length: 17 } },
      },
    },
    clickOn("shown", { as: "click", expect: ok({ ...EXTRA, ok: true }) }),
    {
      stats: { from: "2026-01-15" },
      expect: {
        status: 200,
        text: { not: { startsWith: '{"publisher_id"' } },
        body: {
          ...EXTRA,
          publisher_id: ref("publishers.0.id"),
          period: { ...EXTRA, from: "2026-01-15", to: "2026-01-15" },
          revenue_inr: creditOf("shown", "click"),
          surfaces: { every: { ...EXTRA, id: { type: "string" }, revenue: { type: "number" } } },
        },
      },
    },
    {
      surfaces: {},
      expect: { body: { ...EXTRA, surfaces: { every: { ...EXTRA, cpm_range: { length: 2 } } } } },
    },
    {
      payouts: {},
      expect: { body: { ...EXTRA, payouts: { every: { ...EXTRA, status: "paid" } } } },
    },
    ...refusedAs("envelope", json, { body: { error: { code, message: { type: "string" } } } }),
    ...refusedAs("flat", json, { body: { error: { type: "string" } } }),
    ...refusedAs("list", json, { body: { errors: [{ code }] } }),
    ...refusedAs("text", "text/plain; charset=utf-8", { text: { startsWith: "impression_id" } }),
    ...refusedAs("html", "text/html; charset=utf-8", { text: { startsWith: "<!doctype html>" } }),
    ...refusedAs("empty", { absent: true }, { text: "" }),
    ...withIds("uuid", 1),
    ...withIds("digits", 2),
    ...withIds("url-unsafe", 3),
    { assume: { "errors.body": "problem" } },
    clickOn("shown", {
      note: "Ids that a client held from before stopped working with the first change.",
      expect: error(404, code),
    }),
    { assume: { "ids.format": "prefixed", "response.form": "documented" } },
    clickOn("shown", {
      note: "With the old form the old ids work again.",
      expect: {
        text: { startsWith: '{"ok":true,"click_id":' },
        body: { click_id: ref("click.click_id") },
      },
    }),
  ],
});
