/** The past of a world over the control API, compared with what the API answered at that time. */

import { describe, expect, test } from "vitest";
import type { HostedCore } from "../../src/simulator/core.ts";
import type { SimulatorOptions } from "../../src/simulator/simulator-options.ts";
import { buildRequest } from "../../src/spec/build-request.ts";
import { ask, worldsOf } from "../worlds.ts";

/** JSON of a known shape. */
type Json = ReturnType<typeof JSON.parse>;

function fresh(options: SimulatorOptions = {}) {
  const worlds = worldsOf(options);
  const sim = worlds.get("default");
  const read = (path: string): Json => {
    const { status, body } = ask(worlds, "GET", `/_sim/history${path}`);
    if (status !== 200) throw new Error(`${status} ${body}`);
    return JSON.parse(body);
  };
  return { worlds, sim, read, at: (sequence: number): Json => read(`/${sequence}`) };
}

function impression(sim: HostedCore, session: string): string {
  const { id, apiKey, surfaces } = sim.publishers.at(0);
  const values = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad", session_id: session };
  return sim.handle(buildRequest("impression", values, { key: apiKey })).body;
}

describe("GET history/:sequence", () => {
  test("shows what is recorded, quotas, surfaces, rules and choices before and after, and changes nothing", () => {
    const { worlds, sim, at } = fresh();
    impression(sim, "s-1");
    sim.faults.add({ id: "late", match: { operation: "click" }, verdict: { kind: "drop" } });
    sim.assume({ "dedup.repeat": "conflict" });
    sim.clock.advance("1h");
    impression(sim, "s-2");
    sim.faults.clear();
    const { id, surfaces } = sim.publishers.at(0);
    sim.publishers.setSurface(id, surfaces[0]?.id ?? "", { status: "paused" });
    impression(sim, "s-3");

    const state = (): string =>
      JSON.stringify([sim.snapshot(), sim.journal.total, worlds.metrics()]);
    const unchanged = state();
    const [first, second, third] = [at(1), at(2), at(3)];
    expect(first.publisher).toBe(id);
    expect(first.before?.publisher?.recorded).toMatchObject({ impressions: 0, clicks: 0 });
    expect(first.after.publisher?.recorded).toMatchObject({ impressions: 1, clicks: 0 });
    expect(second.before).toMatchObject({
      now: "2026-01-15T01:00:00.000Z",
      mode: "frozen",
      faults: [{ id: "late", fired: 0 }],
      assumptions: { "dedup.repeat": "conflict" },
    });
    expect(second.after.publisher?.recorded).toMatchObject({ impressions: 2 });
    expect(second.after.publisher?.quotas).toEqual([
      { name: "recording", limit: 10_000, remaining: 9999 },
      { name: "reporting", limit: 60, remaining: 60 },
    ]);
    expect(third.after.publisher?.surfaces[0]?.status).toBe("paused");
    expect(third.after.publisher?.recorded).toEqual(third.before?.publisher?.recorded);
    expect(third.after.faults).toEqual([]);
    expect(state()).toBe(unchanged);
  });

  test("has the stats and payouts that the service would have answered, whatever the quota", () => {
    const { sim, at } = fresh();
    const { id, apiKey } = sim.publishers.at(0);
    const stats = (): string =>
      sim.handle(buildRequest("stats", { publisher_id: id }, { key: apiKey })).body;
    impression(sim, "s-1");
    const answer = stats();
    for (let sent = 0; sent < 61; sent += 1) stats();
    const then = at(63).after.publisher;
    expect(then?.quotas[1]?.remaining).toBe(0);
    expect(then?.stats).toEqual({ status: 200, body: answer });
    expect(then?.payouts.body).toContain("pending_inr");
  });

  test("shows for an event the publisher on whose ledger it is, whoever's key was sent", () => {
    const { sim, at } = fresh({ assumptions: { "auth.key-scope": "any" } });
    const [a, b] = [sim.publishers.at(0), sim.publishers.at(1)];
    const key = a.apiKey;
    const values = { publisher_id: b.id, surface: b.surfaces[0]?.id, ad_id: "ad" };
    const { body } = sim.handle(buildRequest("impression", values, { key }));
    const { impression_id } = JSON.parse(body);
    sim.handle(buildRequest("click", { impression_id }, { key }));
    sim.handle(buildRequest("stats", { publisher_id: b.id }, { key }));
    const counts = [1, 2, 3].map((entry) => [
      at(entry).publisher,
      at(entry).after.publisher?.recorded,
    ]);
    expect(counts).toMatchObject([
      [b.id, { impressions: 1, clicks: 0 }],
      [b.id, { impressions: 1, clicks: 1 }],
      // It only reads, and spends the quota of the key.
      [a.id, { impressions: 0 }],
    ]);
  });

  test("0 is the beginning; another publisher can be asked for, and one that isn't there yet is null", () => {
    const { sim, read, at } = fresh();
    impression(sim, "s-1");
    const joined = sim.publishers.signUp({ name: "Late" }).id;
    impression(sim, "s-2");
    const other = sim.publishers.at(1).id;
    const start = read(`/0?publisher=${other}`);
    expect(start).toMatchObject({ sequence: 0, publisher: other, before: null });
    expect(start.after.publisher.recorded.impressions).toBe(0);
    expect(at(0).after.publisher).toBeNull();
    expect(read(`/1?publisher=${joined}`).after.publisher).toBeNull();
    expect(read(`/2?publisher=${joined}`).before.publisher.name).toBe("Late");
  });
});

test("GET history says which moments can be rebuilt, and what was done by hand", () => {
  const { worlds, sim, read, at } = fresh({ journalEntries: 40 });
  sim.clock.advance("90s");
  for (let sent = 0; sent < 100; sent += 1) impression(sim, `s-${sent}`);
  const { id } = sim.publishers.rotateKey(sim.publishers.at(1).id);
  const { first, total, changes } = read("");
  expect(total).toBe(100);
  expect(first).toBeGreaterThanOrEqual(60);
  expect(first).toBeLessThan(85);
  expect(changes).toMatchObject([{ after: 100, text: `key of ${id} rotated` }]);
  expect(at(first).after.publisher).not.toBeNull();
  expect(ask(worlds, "GET", `/_sim/history/${first - 1}`).status).toBe(404);
});

test("with the journal off there is no history, and the answer says why", () => {
  const { worlds, sim, read } = fresh({ journalEntries: 0 });
  impression(sim, "s-1");
  expect(read("").unavailable).toMatch(/journal/);
  expect(ask(worlds, "GET", "/_sim/history/1").status).toBe(404);
});
