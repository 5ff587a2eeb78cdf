/** A redirect (`http.trailing-slash`: 308) as clients meet it: followed, refused or shown, the same over every transport. */

import { afterEach, describe, expect, test } from "vitest";
import { createSimulator, type SimulatorOptions } from "../../src/index.ts";
import { startServer } from "../../src/server.ts";
import { listeners } from "../msw-versions.ts";

const options: SimulatorOptions = {
  seed: "redirect",
  clock: "frozen",
  assumptions: { "http.trailing-slash": "308" },
};
const { id, apiKey, surfaces } = createSimulator(options).publishers.at(0);
const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
const shown = JSON.stringify({ publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad" });
const post = { method: "POST", headers, body: shown };

interface Transport {
  readonly fetch: typeof globalThis.fetch;
  readonly baseUrl: string;
}

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function underMsw(version: keyof typeof listeners): Transport {
  const baseUrl = "https://ads.invalid/api";
  closers.push(listeners[version](createSimulator(options), baseUrl));
  return { fetch, baseUrl };
}

const transports: Readonly<Record<string, () => Promise<Transport>>> = {
  "sim.fetch": async () => ({
    fetch: createSimulator(options).fetch,
    baseUrl: "https://ads.invalid",
  }),
  "MSW 2": async () => underMsw("MSW 2"),
  "MSW 3": async () => underMsw("MSW 3"),
  HTTP: async () => {
    const server = await startServer({ ...options, port: 0 });
    closers.push(() => server.close());
    return { fetch, baseUrl: server.url };
  },
  "HTTP in a named world": async () => {
    const server = await startServer({ ...options, port: 0 });
    closers.push(() => server.close());
    return { fetch, baseUrl: `${server.url}/@other` };
  },
};

describe.each(Object.entries(transports))("over %s", (name, connect) => {
  // MSW 2 doesn't send a body again: its fetch rejects, as for a body that is a stream.
  const repeats = name !== "MSW 2";

  test("a POST is sent again unchanged and recorded once, or rejects and isn't recorded", async () => {
    const { fetch, baseUrl } = await connect();
    const sent = fetch(`${baseUrl}/v1/impression/`, post);
    if (!repeats) {
      await expect(sent).rejects.toThrow(TypeError);
      const next = await fetch(`${baseUrl}/v1/impression`, post);
      expect(next.headers.get("x-ratelimit-remaining")).toBe("9999");
      return;
    }
    const slashed = await sent;
    expect(slashed.status).toBe(200);
    const first = (await slashed.json()) as { impression_id: string };
    const second = await fetch(`${baseUrl}/v1/impression`, post);
    expect(second.headers.get("x-ratelimit-remaining")).toBe("9998");
    const click = JSON.stringify({ impression_id: first.impression_id });
    const clicked = await fetch(`${baseUrl}/v1/click/`, { ...post, body: click });
    expect(await clicked.json()).toMatchObject({ ok: true });
  });

  test("a GET keeps its query", async () => {
    const { fetch, baseUrl } = await connect();
    const query = `publisher_id=${id}&from=2026-01-01&to=2026-01-02&colour=%E2%98%83`;
    const slashed = await fetch(`${baseUrl}/v1/publisher/stats/?${query}`, { headers });
    const plain = await fetch(`${baseUrl}/v1/publisher/stats?${query}`, { headers });
    expect(slashed.status).toBe(200);
    expect(await slashed.text()).toBe(await plain.text());
  });

  test('redirect "manual" returns the 308 itself', async () => {
    const { fetch, baseUrl } = await connect();
    const response = await fetch(`${baseUrl}/v1/impression/?a=1`, { ...post, redirect: "manual" });
    expect(response.status).toBe(308);
    expect(response.headers.get("location")).toBe("../impression?a=1");
    expect(await response.text()).toBe("");
  });

  test('redirect "error" rejects, and nothing is recorded', async () => {
    const { fetch, baseUrl } = await connect();
    const refused = fetch(`${baseUrl}/v1/impression/`, { ...post, redirect: "error" });
    await expect(refused).rejects.toThrow(TypeError);
    const next = await fetch(`${baseUrl}/v1/impression`, post);
    expect(next.headers.get("x-ratelimit-remaining")).toBe("9999");
  });
});

test("sim.fetch follows the redirect from the requested URL, and journals both requests", async () => {
  const sim = createSimulator(options);
  await sim.fetch(`/v1/publisher/surfaces/?publisher_id=${id}`, { headers });
  expect(sim.journal.entries().map(({ request, reason }) => [request.path, reason])).toEqual([
    ["/v1/publisher/surfaces/", "redirected"],
    ["/v1/publisher/surfaces", "read"],
  ]);
});
