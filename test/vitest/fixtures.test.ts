import { createServer } from "node:http";
import { describe } from "vitest";
import { expect, type SimFixtures, test } from "../../src/vitest.ts";

type Way = Pick<SimFixtures, "baseUrl" | "fetch" | "apiKey" | "publisher" | "surface">;

function show({ baseUrl, fetch, apiKey, publisher, surface }: Way, ad: string): Promise<Response> {
  return fetch(`${baseUrl}/v1/impression`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ publisher_id: publisher.id, surface: surface.id, ad_id: ad }),
  });
}

/** URLs of earlier tests, to see whether they are gone. */
const before: { url: string; fetch: typeof globalThis.fetch }[] = [];

describe.each(["fetch", "msw", "http"] as const)("by %s", (transport) => {
  test.override({ transport });

  test("the world is at the base URL, its clock stands still, and its records are seen", async ({
    sim,
    baseUrl,
    fetch,
    apiKey,
    publisher,
    surface,
    expect: own,
  }) => {
    const startedMs = sim.clock.now();
    expect((await show({ baseUrl, fetch, apiKey, publisher, surface }, "ad")).status).toBe(200);
    own(sim).toHaveRecordedImpression({ ad: "ad", surface: surface.id, times: 1 });
    expect(sim).not.toHaveRecordedClick();
    expect(sim).toHaveStats({ publisher: publisher.id, impressions: 1 });
    expect(surface.status).toBe("active");
    expect(sim.clock.now()).toBe(startedMs);
    expect((await sim.fetch("/v1/click", { method: "POST" })).status).toBe(401);
    before.push({ url: `${baseUrl}/v1/click`, fetch });
  });

  test("it is gone after the test", async ({ sim }) => {
    expect(sim).toHaveReceived({ times: 0 });
    if (transport === "fetch") return;
    const last = before.at(-1);
    const url = last?.url ?? "";
    const gone = await globalThis.fetch(url).then(
      ({ status }) => status,
      () => "unreachable",
    );
    expect([500, "unreachable"]).toContain(gone);
  });

  describe("with options", () => {
    test.override("simOptions", { seed: "42", start: "2026-03-01T00:00:00Z" });

    test("they are the world's", ({ sim }) => {
      expect(sim.seed).toBe("42");
      expect(new Date(sim.clock.now()).toISOString()).toBe("2026-03-01T00:00:00.000Z");
    });

    describe("overridden within", () => {
      test.override("simOptions", ({ simOptions }) => ({ ...simOptions, publishers: 2 }));

      test("the inner ones count", ({ sim }) => {
        expect(sim.publishers.total).toBe(2);
        expect(sim.seed).toBe("42");
      });
    });
  });

  test("requests to other servers are passed through", async ({ sim }) => {
    const server = createServer((_request, response) => response.end("elsewhere"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    expect(await (await globalThis.fetch(`http://127.0.0.1:${port}/v1/click`)).text()).toBe(
      "elsewhere",
    );
    server.close();
    expect(sim).toHaveReceived({ times: 0 });
  });
});

describe("a publisher is found", () => {
  test.override("simOptions", { profile: "adversarial", publishers: 40 });

  test("that has an active surface, or one signs up", ({ publisher, surface, apiKey }) => {
    expect(publisher.surfaces).toContainEqual(surface);
    expect(surface.status).toBe("active");
    expect(apiKey).toBe(publisher.apiKey);
  });
});

const extended = test.extend("client", ({ fetch, baseUrl, apiKey }) => ({
  payouts: (id: string) =>
    fetch(`${baseUrl}/v1/publisher/payouts?publisher_id=${id}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    }),
}));

extended("a client can be a fixture made of these", async ({ client, publisher, sim }) => {
  expect((await client.payouts(publisher.id)).status).toBe(200);
  expect(sim).toHaveReceived({ operation: "payouts", times: 1 });
  expect(sim).toRespectRateLimits();
  expect(sim).toHaveUsedValidKeys();
});

describe.concurrent("side by side", () => {
  const ways = (["fetch", "msw", "http"] as const).map((transport) =>
    test.extend("transport", transport),
  );

  for (let number = 0; number < 24; number += 1) {
    ways[number % ways.length]?.(
      `test ${number} finds its own world`,
      async ({ sim, baseUrl, fetch, apiKey, publisher, surface }) => {
        await meetNobody(sim, { baseUrl, fetch, apiKey, publisher, surface }, number);
      },
    );
  }
});

test("in one world somebody else is met", async ({
  sim,
  baseUrl,
  fetch,
  apiKey,
  publisher,
  surface,
}) => {
  const way = { baseUrl, fetch, apiKey, publisher, surface };
  await meetNobody(sim, way, 1);
  await expect(meetNobody(sim, way, 2)).rejects.toThrow(/Expected 3 requests/);
});

/** All worlds have the same seed, hence the same publishers and keys, and under fetch the same clock. */
async function meetNobody(sim: SimFixtures["sim"], way: Way, number: number): Promise<void> {
  const ads = Array.from({ length: 1 + (number % 4) }, (_, ad) => `ad-${number}-${ad}`);
  sim.clock.advance(`${1 + number}s`);
  // The others run in between.
  for (const ad of ads) expect((await show(way, ad)).status).toBe(200);
  const at = new Date(Date.UTC(2026, 0, 15, 0, 0, 1 + number)).toISOString();
  for (const ad of ads) expect(sim).toHaveRecordedImpression({ ad, times: 1, since: at });
  expect(sim).toHaveReceived({ times: ads.length });
  expect(sim).toHaveStats({ publisher: way.publisher.id, impressions: ads.length, clicks: 0 });
  expect(new Date(sim.clock.now()).toISOString()).toBe(at);
}
