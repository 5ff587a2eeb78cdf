/** What the types of `adsim/playwright` allow and refuse. Compiled with the rest by `npm run types`. */

import { defineConfig } from "@playwright/test";
import { expectTypeOf } from "vitest";
import type { Publisher, Simulator, Surface } from "../../src/index.ts";
import { type Advance, expect, type SimOptions, test } from "../../src/playwright.ts";

test("a test is given a world and the way to it", (given) => {
  expectTypeOf(given.sim).toEqualTypeOf<Simulator>();
  expectTypeOf(given.publisher).toEqualTypeOf<Publisher>();
  expectTypeOf(given.surface).toEqualTypeOf<Surface>();
  expectTypeOf(given.advance).toEqualTypeOf<Advance>();
  expectTypeOf(given.apiKey).toBeString();
  expectTypeOf(given.baseUrl).toBeString();
  // @ts-expect-error the world behind the fixtures is internal
  void given.$world;
});

test.use({ baseUrl: "http://localhost:5173/ads", simOptions: { seed: "42" } });
// @ts-expect-error no such option
test.use({ simOptions: { sede: "42" } });
// @ts-expect-error the world is made from options
test.use({ world: {} });
defineConfig<SimOptions>({ use: { simOptions: { publishers: 3 } } });

const extended = test.extend<{ client: { url: string } }>({
  client: async ({ baseUrl }, use) => await use({ url: baseUrl }),
});
extended("a fixture of one's own is made of these", ({ client, sim }) => {
  expectTypeOf(client).toEqualTypeOf<{ url: string }>();
  expectTypeOf(sim).toEqualTypeOf<Simulator>();
});

test("expect has its own matchers and Playwright's", async ({ sim, page }) => {
  expectTypeOf(expect(sim).toHaveRecordedImpression({ ad: "a", times: 2 })).toBeVoid();
  expect(sim).not.toHaveRecordedClick({ impression: "i" });
  expect.soft(sim).toHaveCredited(0.5, { publisher: "p", since: "2026-01-15T00:00:00Z" });
  expect(sim).toHaveNoFindings({ except: ["hot-loop"] });
  await expect(page).toHaveTitle("t");
  // @ts-expect-error the spec's name is not the matcher's
  expect(sim).toHaveRecordedImpression({ ad_id: "a" });
  // @ts-expect-error whose statistics
  expect(sim).toHaveStats({ impressions: 1 });
});
