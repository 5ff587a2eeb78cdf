/** What the compiler knows of `adsim/client`. Compiled with everything else, and never run. */

import { expectTypeOf } from "vitest";
import {
  type Ads,
  type ApiError,
  createAds,
  createClient,
  type Impression,
  type ImpressionRecord,
  type Outcome,
  type PublisherStats,
  type Report,
} from "../../src/client.ts";

const client = createClient({ baseUrl: "https://ads.example", apiKey: "key", fetch });
const shown = { publisher_id: "p", surface: "s", ad_id: "a" };

const recorded = await client.impression({ ...shown, session_id: "s-1" });
if (recorded.ok) {
  expectTypeOf(recorded.value).toEqualTypeOf<ImpressionRecord>();
  expectTypeOf(recorded.value.revenue_credited_inr).toBeNumber();
  // @ts-expect-error a success has no error
  recorded.error;
} else {
  expectTypeOf(recorded.error).toEqualTypeOf<ApiError>();
  expectTypeOf(recorded.error.mayHaveApplied).toBeBoolean();
  expectTypeOf(recorded.error.retryAfterMs).toEqualTypeOf<number | undefined>();
  if (recorded.error.kind === "limited") expectTypeOf(recorded.error.status).toBeNumber();
}
const stats = await client.stats({ publisher_id: "p", from: "2026-01-01" });
if (stats.ok) expectTypeOf(stats.value).toEqualTypeOf<PublisherStats>();

// @ts-expect-error ad_id is required
client.impression({ publisher_id: "p", surface: "s" });
// @ts-expect-error a click names its impression, and nothing else
client.click({ impression_id: "i", publisher_id: "p" });
// @ts-expect-error a key is required
createClient({ baseUrl: "https://ads.example" });

const ads = createAds({
  baseUrl: "https://ads.example",
  apiKey: "key",
  publisherId: "p",
  surfaces: ["Sidebar"],
});
expectTypeOf(ads).toEqualTypeOf<Ads>();
const impression = ads.impression("Sidebar", "ad-1");
expectTypeOf(impression).toEqualTypeOf<Impression>();
expectTypeOf(impression.recorded).resolves.toEqualTypeOf<Outcome<ImpressionRecord>>();
expectTypeOf(ads.close({ withinMs: 5000 })).resolves.toEqualTypeOf<Report>();
// @ts-expect-error a click is on an impression, not on its id
ads.click("imp_1");
