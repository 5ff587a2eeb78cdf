/** How a user calls what each generator makes. They are texts, because what they import is generated. */

const opening = `
import { access, playSession } from "./session.ts";
const { baseUrl, apiKey } = access;
const headers = { authorization: "Bearer " + apiKey };
`;

/** A program by the name of the generator. */
export const clients: Readonly<Record<"openapi-fetch" | "hey-api" | "orval", string>> = {
  "openapi-fetch": `${opening}
import createClient from "openapi-fetch";
import type { paths } from "./openapi-fetch/api.ts";
const client = createClient<paths>({ baseUrl, headers });
await playSession({
  impression: (body) => client.POST("/v1/impression", { body }),
  click: (body) => client.POST("/v1/click", { body }),
  stats: (query) => client.GET("/v1/publisher/stats", { params: { query } }),
  surfaces: (query) => client.GET("/v1/publisher/surfaces", { params: { query } }),
  payouts: (query) => client.GET("/v1/publisher/payouts", { params: { query } }),
});
`,

  "hey-api": `${opening}
import { client } from "./hey-api/client.gen";
import { click, impression, payouts, stats, surfaces } from "./hey-api/sdk.gen";
client.setConfig({ baseUrl, auth: () => apiKey });
await playSession({
  impression: (body) => impression({ body }),
  click: (body) => click({ body }),
  stats: (query) => stats({ query }),
  surfaces: (query) => surfaces({ query }),
  payouts: (query) => payouts({ query }),
});
`,

  orval: `${opening}
import { click, impression, payouts, stats, surfaces } from "./orval/api";
type Answer<Data> = { status: 200; data: Data } | { status: number; data: { code: string } };
async function got<Data extends object>(answer: Promise<Answer<Data>>) {
  const { data } = await answer;
  return "code" in data ? { error: data } : { data };
}
await playSession({
  impression: (body) => got(impression(body, { headers })),
  click: (body) => got(click(body, { headers })),
  stats: (query) => got(stats(query, { headers })),
  surfaces: (query) => got(surfaces(query, { headers })),
  payouts: (query) => got(payouts(query, { headers })),
});
`,
};
