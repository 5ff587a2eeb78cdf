/** What the types of `adsim/vitest` and `adsim/assert` allow and refuse. Compiled with the rest by `npm run types`. */

import { expectTypeOf } from "vitest";
import { assertCredited, assertRecordedClick, type Check, matchers } from "../../src/assert.ts";
import type { Publisher, Simulator, SimulatorOptions, Surface } from "../../src/index.ts";
import { expect, type SimFixtures, type Transport, test } from "../../src/vitest.ts";

test("a test is given a world and the way to it", (given) => {
  expectTypeOf(given.sim).toEqualTypeOf<Simulator>();
  expectTypeOf(given.publisher).toEqualTypeOf<Publisher>();
  expectTypeOf(given.surface).toEqualTypeOf<Surface>();
  expectTypeOf(given.fetch).toEqualTypeOf<typeof globalThis.fetch>();
  expectTypeOf(given.apiKey).toBeString();
  expectTypeOf(given.baseUrl).toBeString();
  expectTypeOf(given.simOptions).toEqualTypeOf<SimulatorOptions>();
  expectTypeOf(given.transport).toEqualTypeOf<"fetch" | "msw" | "http">();
  // @ts-expect-error the world behind the fixtures is internal
  void given.$world;
});

test.override("transport", "http");
test.override("simOptions", { seed: "42", assumptions: { "dedup.repeat": "count" } });
test.override({ transport: "msw", simOptions: {} });
test.override("simOptions", ({ simOptions }) => ({ ...simOptions, clock: "flowing" }));
// @ts-expect-error no such transport
test.override("transport", "smtp");
// @ts-expect-error no such option
test.override("simOptions", { sede: "42" });
// @ts-expect-error no such fixture
test.override("world", {});

const extended = test.extend("client", ({ baseUrl, apiKey }) => ({ baseUrl, apiKey }));
extended("a fixture of one's own is made of these", ({ client, sim }) => {
  expectTypeOf(client).toEqualTypeOf<{ baseUrl: string; apiKey: string }>();
  expectTypeOf(sim).toEqualTypeOf<Simulator>();
});

expectTypeOf<Transport>().toEqualTypeOf<SimFixtures["transport"]>();

test("expect has the matchers, the one of a test's context too", ({ sim, expect: own }) => {
  expectTypeOf(expect(sim).toHaveRecordedImpression({ ad: "a", times: 2 })).toBeVoid();
  expectTypeOf(expect(sim).not.toHaveRecordedClick({ impression: "i" })).toBeVoid();
  own(sim).toHaveCredited(0.5, { publisher: "p", since: "2026-01-15T00:00:00Z" });
  own(sim).toHaveStats({ publisher: "p", surfaces: { s: { impressions: 1 } } });
  own(sim).toRespectRateLimits({ refusals: 1 });
  own(sim).toHaveNothingLostOrDoubled({ impressions: 1, clicks: 0 });
  own(sim).toHaveNoFindings({ except: ["hot-loop"] });
  // @ts-expect-error the spec's name is not the matcher's
  own(sim).toHaveRecordedImpression({ ad_id: "a" });
  // @ts-expect-error an impression is on no impression
  own(sim).toHaveRecordedImpression({ impression: "i" });
  // @ts-expect-error amounts are numbers
  own(sim).toHaveCredited("0.5");
  // @ts-expect-error whose statistics
  own(sim).toHaveStats({ impressions: 1 });
  // @ts-expect-error no such finding
  own(sim).toHaveNoFindings({ except: ["everything"] });
  // @ts-expect-error no such operation
  own(sim).toHaveReceived({ operation: "refund" });
});

test("the plain functions want a simulator", ({ sim }) => {
  expectTypeOf(assertRecordedClick(sim, { ad: "a" })).toBeVoid();
  // @ts-expect-error its journal is none
  assertCredited(sim.journal, 1);
});

expectTypeOf(matchers.toBalance).returns.toEqualTypeOf<Check>();
