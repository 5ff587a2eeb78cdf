/** The defaults are the documented ones. JavaScript lists keys such as "404" first, whatever their order in the source. */

import { expect, test } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { type Assumption, catalogue } from "../../../src/spec/assumptions/catalogue.ts";
import { defaultAssumptions } from "../../../src/spec/assumptions/resolve.ts";

test("the default is the documented choice even where the name of a choice looks like a number", () => {
  expect(defaultAssumptions).toMatchObject({
    "auth.failure": "401",
    "auth.key-scope": "publisher",
    "errors.invalid": "400",
    "limit.exceeded": "429",
    "click.unknown": "404",
    "surface.unknown": "404",
  });
});

test("every default is one of the choices of its key", () => {
  for (const [key, point] of Object.entries<Assumption>(catalogue)) {
    expect(Object.keys(point.choices), key).toContain(point.default);
  }
});

test("a simulator without assumptions answers by the defaults", () => {
  const sim = createSimulator({ seed: "defaults" });
  const { id, apiKey } = sim.publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}` };
  const query = { publisher_id: id };
  const path = "/v1/publisher/stats";
  const statusOf = (method: string, more: Record<string, string> = {}): number =>
    sim.handle({ method, path, query: { ...query, ...more }, headers }).status;
  expect(statusOf("HEAD")).toBe(200);
  expect(statusOf("PUT")).toBe(405);
  expect(statusOf("GET", { surface: "nowhere" })).toBe(404);
  expect(statusOf("GET", { from: "2026-02-29" })).toBe(400);
  for (let sent = 0; sent < 60; sent += 1) statusOf("GET");
  expect(statusOf("GET")).toBe(429);
});
