/** A session with a generated client. It is a text, because what it imports is generated. */

/** Its argument says where the service is, and whose key it is. */
export const session = `
import { strict as assert } from "node:assert";
import createClient from "openapi-fetch";
import type { paths } from "./api.ts";

const { baseUrl, apiKey, publisher_id, surface } = JSON.parse(process.argv[2] ?? "{}") as Record<
  "baseUrl" | "apiKey" | "publisher_id" | "surface",
  string
>;
const client = createClient<paths>({ baseUrl, headers: { authorization: "Bearer " + apiKey } });
const ad = { publisher_id, surface, ad_id: "ad-1", session_id: "session-1" };

const { data: shown } = await client.POST("/v1/impression", { body: ad });
assert.ok(shown && shown.revenue_credited_inr > 0);
const { impression_id } = shown;
const { data: clicked } = await client.POST("/v1/click", { body: { impression_id } });
assert.equal(clicked?.ok, true);

const params = { query: { publisher_id } };
const { data: stats } = await client.GET("/v1/publisher/stats", { params });
assert.ok(stats && stats.impressions >= 1);
const { data: listed } = await client.GET("/v1/publisher/surfaces", { params });
assert.ok(listed?.surfaces.some(({ id }) => id === surface));
const { data: paid } = await client.GET("/v1/publisher/payouts", { params });
assert.ok(paid?.payouts.every(({ status }) => status === "paid"));

const { error } = await client.POST("/v1/impression", { body: { ...ad, surface: "nowhere" } });
assert.equal(error?.code, "surface_not_found");
`;
