/**
 * One session, written for each of three client generators as their users would: impressions, a click, figures, surfaces,
 * payouts, and an error of each operation. They are strings, because what they import is generated.
 */

/** What a session is given: a base URL, a key, and ids that are and aren't the key's. */
const opening = `
import { strict as assert } from "node:assert";
const { baseUrl, apiKey, publisher_id, surface } = JSON.parse(process.env.SESSION ?? "");
const authorization = "Bearer " + apiKey;
const ad = { publisher_id, surface, ad_id: "ad-1" };
`;

/** Session, by the name of the generator. */
export const sessions: Readonly<Record<"openapi-fetch" | "hey-api" | "orval", string>> = {
  "openapi-fetch": `
import createClient from "openapi-fetch";
import type { components, paths } from "./generated.ts";
${opening}
type Problem = components["schemas"]["Problem"];
const client = createClient<paths>({ baseUrl, headers: { authorization } });
const codeOf = (error: Problem | undefined): string => error?.code ?? "none";

for (let sent = 0; sent < 5; sent += 1) {
  const shown = await client.POST("/v1/impression", { body: { ...ad, session_id: "fetch-" + sent } });
  assert.ok(shown.data, JSON.stringify(shown.error));
  const { impression_id, revenue_credited_inr }: components["schemas"]["ImpressionResult"] = shown.data;
  assert.ok(revenue_credited_inr > 0);
  const clicked = await client.POST("/v1/click", { body: { impression_id } });
  const ok: true | undefined = clicked.data?.ok;
  assert.equal(ok, true);
}
const query = { publisher_id };
const stats = await client.GET("/v1/publisher/stats", { params: { query } });
assert.ok((stats.data?.impressions ?? 0) >= 5);
assert.ok(Number(stats.response.headers.get("X-RateLimit-Remaining")) < 60);
const surfaces = await client.GET("/v1/publisher/surfaces", { params: { query } });
const [lower = 1, upper = 0] = surfaces.data?.surfaces[0]?.cpm_range ?? [];
assert.ok(lower <= upper);
const payouts = await client.GET("/v1/publisher/payouts", { params: { query: { ...query, limit: 2 } } });
assert.ok(payouts.data && payouts.data.payouts.length <= 2);
for (const { status } of payouts.data.payouts) assert.equal(status satisfies "paid", "paid");

const nobody = { params: { query: { publisher_id: "nobody" } } };
const nowhere = await client.POST("/v1/impression", { body: { ...ad, surface: "nowhere" } });
assert.equal(codeOf(nowhere.error), "surface_not_found");
const never = await client.POST("/v1/click", { body: { impression_id: "never" } });
assert.equal(codeOf(never.error), "impression_not_found");
for (const path of ["stats", "surfaces", "payouts"] as const) {
  const { error } = await client.GET(\`/v1/publisher/\${path}\`, nobody);
  assert.equal(codeOf(error), "publisher_not_found");
}
const stranger = createClient<paths>({ baseUrl, headers: { authorization: "Bearer no-key" } });
assert.equal(codeOf((await stranger.GET("/v1/publisher/stats", { params: { query } })).error), "unauthorized");
`,

  "hey-api": `
import { client } from "./generated/client.gen";
import { click, impression, payouts, stats, surfaces } from "./generated/sdk.gen";
import type { ClickResult, ImpressionRequest, Problem } from "./generated/types.gen";
${opening}
client.setConfig({ baseUrl, auth: () => apiKey });
const codeOf = (error: Problem | undefined): string => error?.code ?? "none";

for (let sent = 0; sent < 5; sent += 1) {
  const body: ImpressionRequest = { ...ad, session_id: "hey-" + sent };
  const shown = await impression({ body });
  assert.ok(shown.data, JSON.stringify(shown.error));
  const clicked = await click({ body: { impression_id: shown.data.impression_id } });
  const result: ClickResult | undefined = clicked.data;
  assert.equal(result?.ok, true);
}
const query = { publisher_id };
assert.ok(((await stats({ query })).data?.impressions ?? 0) >= 5);
const [lower, upper] = (await surfaces({ query })).data?.surfaces[0]?.cpm_range ?? [1, 0];
assert.ok(lower <= upper);
assert.ok(((await payouts({ query: { ...query, limit: 2 } })).data?.payouts.length ?? 3) <= 2);

const nobody = { publisher_id: "nobody" };
const nowhere = await impression({ body: { ...ad, surface: "nowhere" } });
assert.equal(codeOf(nowhere.error), "surface_not_found");
assert.equal(codeOf((await click({ body: { impression_id: "never" } })).error), "impression_not_found");
assert.equal(codeOf((await stats({ query: nobody })).error), "publisher_not_found");
assert.equal(codeOf((await surfaces({ query: nobody })).error), "publisher_not_found");
assert.equal(codeOf((await payouts({ query: nobody })).error), "publisher_not_found");
`,

  orval: `
import { click, impression, payouts, stats, surfaces } from "./generated/api";
import type { ImpressionRequest, Problem } from "./generated/model";
${opening}
const options = { headers: { authorization } };
const codeOf = (answer: { data: Problem | object }): string => ("code" in answer.data ? answer.data.code : "none");

for (let sent = 0; sent < 5; sent += 1) {
  const body: ImpressionRequest = { ...ad, session_id: "orval-" + sent };
  const shown = await impression(body, options);
  assert.equal(shown.status, 200, JSON.stringify(shown.data));
  const clicked = await click({ impression_id: shown.data.impression_id }, options);
  assert.ok(clicked.status === 200 && clicked.data.ok);
}
const shown = await stats({ publisher_id }, options);
assert.ok(shown.status === 200 && shown.data.impressions >= 5);
const listed = await surfaces({ publisher_id }, options);
assert.equal(listed.status, 200);
const [lower, upper] = listed.data.surfaces[0]?.cpm_range ?? [1, 0];
assert.ok(lower <= upper);
const paid = await payouts({ publisher_id, limit: 2 }, options);
assert.ok(paid.status === 200 && paid.data.payouts.length <= 2);

const nobody = { publisher_id: "nobody" };
assert.equal(codeOf(await impression({ ...ad, surface: "nowhere" }, options)), "surface_not_found");
assert.equal(codeOf(await click({ impression_id: "never" }, options)), "impression_not_found");
assert.equal(codeOf(await stats(nobody, options)), "publisher_not_found");
assert.equal(codeOf(await surfaces(nobody, options)), "publisher_not_found");
assert.equal(codeOf(await payouts(nobody, options)), "publisher_not_found");
const stranger = await stats({ publisher_id }, { headers: { authorization: "Bearer no-key" } });
assert.equal(stranger.status, 401);
`,
};
