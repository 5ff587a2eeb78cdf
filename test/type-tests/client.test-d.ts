/** What the compiler knows of `adsim/client`. Compiled with everything else, and never run. */

import { expectTypeOf } from "vitest";
import {
  type ApiError,
  createAds,
  createClient,
  type ImpressionRecord,
  type Outcome,
  type PublisherStats,
  type Report,
} from "../../src/client.ts";

const access = { baseUrl: "https://ads.example", apiKey: "key" };
const client = createClient({ ...access, fetch });

const stats = await client.stats({ publisher_id: "p", from: "2026-01-01" });
if (stats.ok) {
  expectTypeOf(stats.value).toEqualTypeOf<PublisherStats>();
  // @ts-expect-error a success has no error
  stats.error;
} else {
  expectTypeOf(stats.error).toEqualTypeOf<ApiError>();
  if (stats.error.kind === "limited") expectTypeOf(stats.error.status).toBeNumber();
}
// @ts-expect-error ad_id is required
client.impression({ publisher_id: "p", surface: "s" });
// @ts-expect-error a click names its impression, and nothing else
client.click({ impression_id: "i", publisher_id: "p" });
// @ts-expect-error a key is required
createClient({ baseUrl: "https://ads.example" });

const ads = createAds({ ...access, publisherId: "p", surfaces: ["Sidebar"] });
const { recorded } = ads.impression("Sidebar", "ad-1");
expectTypeOf(recorded).resolves.toEqualTypeOf<Outcome<ImpressionRecord>>();
expectTypeOf(ads.close({ withinMs: 5000 })).resolves.toEqualTypeOf<Report>();
// @ts-expect-error a click is on an impression, not on its id
ads.click("imp_1");
