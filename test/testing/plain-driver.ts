/** A client that does what it is asked for, once, and nothing else. */

import type { Driver, DriverContext } from "../../src/contract.ts";

export interface Recorded {
  readonly impression_id: string;
}

export function createPlainDriver({
  fetch,
  baseUrl,
  apiKey,
  publisherId,
}: DriverContext): Driver<Recorded> & Required<Pick<Driver<Recorded>, "click" | "stats">> {
  async function ask<Answer>(path: string, init?: RequestInit): Promise<Answer> {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const response = await fetch(`${baseUrl}${path}`, { ...init, headers });
    if (!response.ok) throw Object.assign(new Error("Refused."), { status: response.status });
    return await response.json();
  }
  const post = (path: string, values: object): Promise<Recorded> =>
    ask(path, { method: "POST", body: JSON.stringify(values) });
  return {
    impression: ({ surface, ad, session }) =>
      post("/v1/impression", {
        publisher_id: publisherId,
        surface,
        ad_id: ad,
        session_id: session,
      }),
    click: ({ impression_id }) => post("/v1/click", { impression_id }),
    stats: () => ask(`/v1/publisher/stats?publisher_id=${publisherId}`),
  };
}
