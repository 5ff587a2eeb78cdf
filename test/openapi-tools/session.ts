/** A session with a generated client: its types have to fit these, and its answers are looked at. Runs beside what is generated. */

import { strict as assert } from "node:assert";

interface Problem {
  readonly code: string;
}
type Got<Data> = Promise<{
  readonly data?: Data | undefined;
  readonly error?: Problem | undefined;
}>;
interface Query {
  readonly publisher_id: string;
}

/** What each generator's client is made to look like. */
export interface Client {
  impression(body: Query & { surface: string; ad_id: string; session_id: string }): Got<{
    readonly ok: true;
    readonly impression_id: string;
    readonly revenue_credited_inr: number;
  }>;
  click(body: { impression_id: string }): Got<{ readonly ok: true; readonly click_id: string }>;
  stats(query: Query): Got<{ readonly impressions: number }>;
  surfaces(query: Query): Got<{
    readonly surfaces: readonly { readonly cpm_range: readonly number[] }[];
  }>;
  payouts(query: Query & { limit: number }): Got<{
    readonly payouts: readonly { readonly status: "paid" }[];
  }>;
}

/** Where the service is, and whose key it is: the argument of the process. */
export const access: {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly publisher_id: string;
  readonly surface: string;
} = JSON.parse(process.argv[2] ?? "{}");

export async function playSession(client: Client): Promise<void> {
  const { publisher_id, surface } = access;
  const ad = { publisher_id, surface, ad_id: "ad-1" };
  for (let sent = 0; sent < 5; sent += 1) {
    const { data, error } = await client.impression({ ...ad, session_id: `session-${sent}` });
    assert.ok(data && data.revenue_credited_inr > 0, JSON.stringify(error));
    const clicked = await client.click({ impression_id: data.impression_id });
    assert.equal(clicked.data?.ok, true);
  }
  const query = { publisher_id };
  assert.ok(((await client.stats(query)).data?.impressions ?? 0) >= 5);
  const [lower = 1, upper = 0] = (await client.surfaces(query)).data?.surfaces[0]?.cpm_range ?? [];
  assert.ok(lower <= upper);
  const { data } = await client.payouts({ ...query, limit: 2 });
  assert.ok(data?.payouts.every(({ status }) => status === "paid"));

  const nobody = { publisher_id: "nobody", limit: 1 };
  const refused = [
    await client.impression({ ...ad, surface: "nowhere", session_id: "s" }),
    await client.click({ impression_id: "never" }),
    await client.stats(nobody),
    await client.surfaces(nobody),
    await client.payouts(nobody),
  ];
  assert.deepEqual(
    refused.map(({ error }) => error?.code.replace("_not_found", "")),
    ["surface", "impression", "publisher", "publisher", "publisher"],
  );
}
