/**
 * Tests that would notice each other: all worlds have the same seed, hence the same publishers and keys, and under fetch the
 * same clock. Each test records events of its own, lets others run in between, and expects these alone.
 */

import { describe } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { expect, type SimFixtures, type Transport, test } from "../../../src/vitest.ts";

/** 25 tests. `name`: unique to the file. */
export function worlds(name: string, ...transports: (readonly [Transport, tests: number])[]): void {
  describe.concurrent.each(transports)("%s", (transport, tests) => {
    test.override("transport", transport);
    for (let number = 1; number <= tests; number += 1)
      define(`${name}-${transport}-${number}`, number);
  });
}

/** The same by fetch in one world for all: they must fail. */
export function sharedWorld(name: string): void {
  const sim = createSimulator();
  describe.concurrent("shared", () => {
    test.override("sim", () => sim);
    test.override("fetch", () => sim.fetch);
    for (let number = 1; number <= 8; number += 1) define(`${name}-${number}`, number);
  });
}

function define(name: string, number: number): void {
  test(name, async ({ sim, publisher, surface, baseUrl, fetch, apiKey }) => {
    const sent = 1 + (number % 4);
    sim.clock.advance(`${number}s`);
    for (let ad = 1; ad <= sent; ad += 1) {
      await record({ baseUrl, fetch, apiKey, publisher, surface }, `${name}-${ad}`);
    }
    const at = new Date(Date.UTC(2026, 0, 15, 0, 0, number)).toISOString();
    for (let ad = 1; ad <= sent; ad += 1) {
      expect(sim).toHaveRecordedImpression({ ad: `${name}-${ad}`, times: 1, since: at });
    }
    expect(sim).toHaveReceived({ times: sent });
    expect(sim).toHaveStats({ publisher: publisher.id, impressions: sent, clicks: 0 });
    expect(new Date(sim.clock.now()).toISOString()).toBe(at);
  });
}

type Way = Pick<SimFixtures, "baseUrl" | "fetch" | "apiKey" | "publisher" | "surface">;

async function record(
  { baseUrl, fetch, apiKey, publisher, surface }: Way,
  ad: string,
): Promise<void> {
  const response = await fetch(`${baseUrl}/v1/impression`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      publisher_id: publisher.id,
      surface: surface.id,
      ad_id: ad,
      session_id: ad,
    }),
  });
  expect(response.status).toBe(200);
  await response.text();
}
