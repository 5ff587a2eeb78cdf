/** A small client of the API, as an integrator writes one, and defects that it may have. */

import type { Driver, DriverContext } from "../../../src/testing/driver/driver.ts";

export interface Defects {
  /** It sends a click whose answer it didn't get once more. */
  readonly clicksAgain?: boolean | undefined;
  /** How impressions are sent. @default "json" */
  readonly encoding?: "json" | "form" | "query" | "spaced" | undefined;
  /** What the Authorization header begins with. @default "Bearer" */
  readonly scheme?: string | undefined;
  /** How long it waits for an answer, in milliseconds. @default 5000 */
  readonly patienceMs?: number | undefined;
}

export function createExampleClient(
  context: DriverContext,
  { clicksAgain = false, encoding = "json", scheme = "Bearer", patienceMs = 5000 }: Defects = {},
): Driver<{ readonly impression_id: string }> {
  const { baseUrl, apiKey, publisherId, fetch, timers } = context;

  async function once(path: string, init: RequestInit): Promise<unknown> {
    const controller = new AbortController();
    const timer = timers.setTimeout(() => controller.abort(new Error("no answer")), patienceMs);
    try {
      const headers = { ...init.headers, authorization: `${scheme} ${apiKey}`, "x-client": "1" };
      const response = await fetch(`${baseUrl}${path}`, {
        ...init,
        headers,
        signal: controller.signal,
      });
      const body = await response.text();
      if (response.ok) return JSON.parse(body);
      throw Object.assign(new Error(`status ${response.status}`), { status: response.status });
    } finally {
      timers.clearTimeout(timer);
    }
  }

  /** Again after a pause, up to twice, where no answer came. */
  async function send(path: string, init: RequestInit, repeats: boolean): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once(path, init);
      } catch (error) {
        const isAnswered = error instanceof Error && "status" in error;
        if (!repeats || isAnswered || attempt === 3) throw error;
        await new Promise<void>((resolve) => {
          timers.setTimeout(resolve, attempt * 1000);
        });
      }
    }
  }

  function post(path: string, values: Record<string, string>, repeats: boolean): Promise<unknown> {
    if (encoding === "query") {
      return send(`${path}?${new URLSearchParams(values)}`, { method: "POST" }, repeats);
    }
    if (encoding === "form") {
      return send(path, { method: "POST", body: new URLSearchParams(values) }, repeats);
    }
    const body = JSON.stringify(values, null, encoding === "spaced" ? 1 : 0);
    const headers = { "content-type": "application/json" };
    return send(path, { method: "POST", body, headers }, repeats);
  }

  function get(path: string, values: object): Promise<unknown> {
    const all = { publisher_id: publisherId, ...values };
    const query = Object.entries(all).map(([name, value]) => [name, String(value)]);
    return send(`${path}?${new URLSearchParams(query)}`, {}, true);
  }

  return {
    impression: async ({ surface, ad, session }) =>
      (await post(
        "/v1/impression",
        { publisher_id: publisherId, surface, ad_id: ad, session_id: session },
        true,
      )) as { readonly impression_id: string },
    click: ({ impression_id }) => post("/v1/click", { impression_id }, clicksAgain),
    stats: (query) => get("/v1/publisher/stats", query),
    surfaces: () => get("/v1/publisher/surfaces", {}),
    payouts: (query) => get("/v1/publisher/payouts", query),
    close() {},
  };
}
