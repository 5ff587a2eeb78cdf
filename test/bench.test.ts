/**
 * The benchmarks rely on this: their load uses up no key's quota, however fast the machine is, and the figures that they print
 * are those that were measured.
 */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { peers, titleOf } from "../bench/peers/peers.ts";
import { CALLERS, CONNECTIONS, hurried } from "../bench/quota.ts";
import { markdownTable, percentile, ratioOf, rotated, rounded } from "../bench/table.ts";
import { type ApiRequest, createSimulator } from "../src/index.ts";

/** The clock of a machine so fast that no time passes. */
const standing = (): number => Date.parse("2026-01-15T00:00:00Z");

test.each(["impression", "stats"] as const)(
  "%s: 400,000 requests at one instant, over connections of different speeds, all get 200",
  (kind) => {
    const sim = createSimulator({
      clock: "system",
      wallClock: hurried(standing),
      publishers: CALLERS[kind],
      journalEntries: 0,
    });
    const requests = sim.publishers.credentials(CALLERS[kind]).map(({ id, apiKey, surfaces }) => {
      const headers = { authorization: `Bearer ${apiKey}` };
      const shown = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad" };
      return kind === "stats"
        ? { method: "GET", path: "/v1/publisher/stats", query: { publisher_id: id }, headers }
        : { method: "POST", path: "/v1/impression", headers, body: shown };
    }) satisfies ApiRequest[];
    // autocannon goes through all requests on each connection. Some connections are quicker than others.
    const next = Array.from({ length: CONNECTIONS }, () => 0);
    const refused = new Set<number>();
    for (let sent = 0; sent < 400_000; sent += 1) {
      const connection = (sent * 7 + (sent >> 4) * (sent % 3)) % CONNECTIONS;
      const request = requests[(next[connection] ?? 0) % requests.length];
      next[connection] = (next[connection] ?? 0) + 1;
      if (request === undefined) throw new Error("There is nobody to ask for.");
      const { status } = sim.handle(request);
      if (status !== 200) refused.add(status);
    }
    expect([...refused]).toEqual([]);
  },
);

test.each([
  [0.8649, "0.86"],
  [0.9, "0.90"],
  [0.0433, "0.043"],
  [12.4, "12"],
])("a ratio of %s is printed as %s", (value, printed) => {
  expect(rounded(value)).toBe(printed);
});

test("each round's figure is compared with that of the same round", () => {
  // The machine was slower in two of the rounds. That says nothing about either server.
  expect(ratioOf([80, 20, 45], [100, 40, 50])).toBe("0.80 (0.50 to 0.90)");
});

test("one in a hundred is slower than the 99th percentile", () => {
  const values = Array.from({ length: 1000 }, (_, index) => 1000 - index);
  expect([0, 0.5, 0.99, 1].map((share) => percentile(values, share))).toEqual([1, 500, 990, 1000]);
});

test("in as many rounds as there are servers, each goes first once", () => {
  const orders = [-1, 0, 1, 2].map((round) => rotated(["a", "b", "c"], round).join(""));
  expect(orders).toEqual(["cab", "abc", "bca", "cab"]);
});

test("a table is Markdown", () => {
  const rows = [
    ["a", "1"],
    ["b", "0.5"],
  ];
  expect(markdownTable(["server", "ratio"], rows)).toBe(
    "| server | ratio |\n|---|---|\n| a | 1 |\n| b | 0.5 |",
  );
});

test("every other server is compared at the version that the lock file installs", () => {
  const lock = JSON.parse(
    readFileSync(new URL("../bench/peers/package-lock.json", import.meta.url), "utf8"),
  ) as { packages: Record<string, { version: string }> };
  expect(peers.length).toBeGreaterThan(7);
  for (const peer of peers) {
    const installed = lock.packages[`node_modules/${peer.package}`]?.version;
    expect(titleOf(peer)).toBe(`${peer.name} ${installed}`);
  }
});
