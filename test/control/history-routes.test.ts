/** The past of a world over the control API, compared with what the API answered at that time. */

import { describe, expect, test } from "vitest";
import { controlModules } from "../../src/adapters/control-modules.ts";
import { listedExchange } from "../../src/control/listed-exchange.ts";
import type { HostedCore } from "../../src/simulator/core.ts";
import type { Worlds } from "../../src/simulator/worlds.ts";
import { buildRequest } from "../../src/spec/build-request.ts";
import { ask, askLater, worldsOf } from "../worlds.ts";

interface ShownState {
  readonly now: string;
  readonly mode: string;
  readonly assumptions: Readonly<Record<string, string>>;
  readonly faults: readonly { readonly id: string; readonly fired: number }[];
  readonly publisher: {
    readonly name: string;
    readonly surfaces: readonly { readonly status: string }[];
    readonly books: Readonly<Record<string, number>>;
    readonly quotas: readonly { readonly name: string; readonly remaining: number }[];
    readonly stats: { readonly status: number; readonly body: string };
    readonly payouts: { readonly status: number; readonly body: string };
  } | null;
}

interface Shown {
  readonly sequence: number;
  readonly publisher?: string;
  readonly before: ShownState | null;
  readonly after: ShownState;
}

function read<Answer>(worlds: Worlds, path: string): Answer {
  const { status, body } = ask(worlds, "GET", path);
  if (status !== 200) throw new Error(`${status} ${body}`);
  return JSON.parse(body);
}

function world(worlds: Worlds): HostedCore {
  return worlds.get("default");
}

function impression(sim: HostedCore, session: string): string {
  const { id, apiKey, surfaces } = sim.publishers.at(0);
  const values = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad", session_id: session };
  return sim.handle(buildRequest("impression", values, { key: apiKey })).body;
}

function statsNow(sim: HostedCore): string {
  const { id, apiKey } = sim.publishers.at(0);
  return sim.handle(buildRequest("stats", { publisher_id: id }, { key: apiKey })).body;
}

describe("GET history/:sequence", () => {
  test("asks rules that are functions nothing: they decide on the entry as they did", () => {
    const worlds = worldsOf();
    const sim = world(worlds);
    let calls = 0;
    sim.faults.add(() => {
      calls += 1;
      return calls === 1 ? undefined : { kind: "respond", status: 500 };
    });
    impression(sim, "s-1");
    impression(sim, "s-2");
    const [first, second] = [1, 2].map((at) => read<Shown>(worlds, `/_sim/history/${at}`));
    expect(calls).toBe(2);
    expect(first?.after.publisher?.books.impressions).toBe(1);
    expect(second?.after.publisher?.books.impressions).toBe(1);
    expect(second?.after.faults[0]?.fired).toBe(1);
  });

  test("shows books, quotas, surfaces, rules and choices before and after", () => {
    const worlds = worldsOf();
    const sim = world(worlds);
    impression(sim, "s-1");
    sim.faults.add({ id: "late", match: { operation: "click" }, verdict: { kind: "drop" } });
    sim.assume({ "dedup.repeat": "conflict" });
    sim.clock.advance("1h");
    impression(sim, "s-2");
    sim.faults.clear();
    const { id, surfaces } = sim.publishers.at(0);
    sim.publishers.setSurface(id, surfaces[0]?.id ?? "", { status: "paused" });
    impression(sim, "s-3");

    const first = read<Shown>(worlds, "/_sim/history/1");
    expect(first.publisher).toBe(id);
    expect(first.before?.publisher?.books).toMatchObject({ impressions: 0, clicks: 0 });
    expect(first.after.publisher?.books).toMatchObject({ impressions: 1, clicks: 0 });
    const second = read<Shown>(worlds, "/_sim/history/2");
    expect(second.before).toMatchObject({
      now: "2026-01-15T01:00:00.000Z",
      mode: "frozen",
      faults: [{ id: "late", fired: 0 }],
      assumptions: { "dedup.repeat": "conflict" },
    });
    expect(second.after.publisher?.books).toMatchObject({ impressions: 2 });
    expect(second.after.publisher?.quotas).toEqual([
      { name: "recording", limit: 10_000, remaining: 9999 },
      { name: "reporting", limit: 60, remaining: 60 },
    ]);
    const third = read<Shown>(worlds, "/_sim/history/3");
    expect(third.after.publisher?.surfaces[0]?.status).toBe("paused");
    expect(third.after.publisher?.books).toEqual(third.before?.publisher?.books);
    expect(third.after.faults).toEqual([]);
  });

  test("has the stats and payouts that the service would have answered, whatever the quota", () => {
    const worlds = worldsOf();
    const sim = world(worlds);
    const answers: string[] = [];
    for (let sent = 0; sent < 70; sent += 1) {
      impression(sim, `s-${sent}`);
      answers.push(statsNow(sim));
    }
    const shown = read<Shown>(worlds, "/_sim/history/139");
    expect(shown.after.publisher?.quotas[1]?.remaining).toBe(0);
    expect(shown.after.publisher?.stats.status).toBe(200);
    const counted = JSON.parse(shown.after.publisher?.stats.body ?? "").impressions;
    expect(counted).toBe(JSON.parse(answers[0] ?? "").impressions + 69);
    for (const [index, answer] of answers.slice(0, 60).entries()) {
      const at = read<Shown>(worlds, `/_sim/history/${2 * index + 2}`);
      expect(at.after.publisher?.stats.body).toBe(answer);
    }
    expect(shown.after.publisher?.payouts.body).toContain("pending_inr");
  });

  test.each([
    ["data", { kind: "duplicate" }],
    ["data, whose second answer arrives", { kind: "duplicate", answer: "second", delay: "1s" }],
    ["a function", () => ({ kind: "duplicate" })],
  ])("of both entries of a request that a rule duplicates is around both: %s", (_, given) => {
    const worlds = worldsOf();
    const sim = world(worlds);
    const { id, apiKey, surfaces } = sim.publishers.at(0);
    const values = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad" };
    const send = (): unknown => sim.handle(buildRequest("impression", values, { key: apiKey }));
    send();
    sim.faults.add(typeof given === "function" ? (given as never) : ({ verdict: given } as never));
    send();
    send();
    const left = (state: ShownState | null): unknown[] => [
      state?.publisher?.books.impressions,
      state?.publisher?.quotas[0]?.remaining,
      state?.faults[0]?.fired,
    ];
    const around = [2, 3, 4].map((entry) => {
      const { before, after } = read<Shown>(worlds, `/_sim/history/${entry}`);
      return [left(before), left(after)];
    });
    const [first, second] = [
      [1, 9999, 0],
      [3, 9997, 1],
    ];
    expect(around).toEqual([
      [first, second],
      [first, second],
      [second, [5, 9995, 2]],
    ]);
    for (const after of [2, 3])
      expect(sim.fork({ after }).audit()).toMatchObject({ balanced: true, total: { applied: 3 } });
  });

  test("if keys work for all publishers, an event shows the publisher on whose books it is, and so do the rows", () => {
    const worlds = worldsOf({ assumptions: { "auth.key-scope": "any" } });
    const sim = world(worlds);
    const [a, b] = [sim.publishers.at(0), sim.publishers.at(1)];
    const key = a.apiKey;
    const values = { publisher_id: b.id, surface: b.surfaces[0]?.id, ad_id: "ad" };
    const { body } = sim.handle(buildRequest("impression", values, { key }));
    const { impression_id } = JSON.parse(body);
    sim.handle(buildRequest("click", { impression_id }, { key }));
    sim.handle(buildRequest("stats", { publisher_id: b.id }, { key }));
    const shown = [1, 2, 3].map((entry) => read<Shown>(worlds, `/_sim/history/${entry}`));
    const counts = shown.map(({ publisher, before, after }) => [
      publisher,
      before?.publisher?.books,
      after.publisher?.books,
    ]);
    expect(counts).toMatchObject([
      [b.id, { impressions: 0, clicks: 0 }, { impressions: 1, clicks: 0 }],
      [b.id, { impressions: 1, clicks: 0 }, { impressions: 1, clicks: 1 }],
      // It only reads, and spends the quota of the key.
      [a.id, { impressions: 0 }, { impressions: 0 }],
    ]);
    const rowOf = (sequence: number): object => {
      const record = sim.journal.exchange(sequence)?.record;
      if (record === undefined) throw new Error(`No entry ${sequence}.`);
      return listedExchange(record, sequence);
    };
    for (const sequence of [1, 2, 3])
      expect(rowOf(sequence)).toMatchObject({ publisher: a.id, concerns: b.id });
    impression(sim, "own");
    expect(rowOf(4)).not.toHaveProperty("concerns");
  });

  test("changes nothing", () => {
    const worlds = worldsOf();
    const sim = world(worlds);
    impression(sim, "s-1");
    const before = JSON.stringify([sim.snapshot(), sim.journal.total, worlds.metrics()]);
    read(worlds, "/_sim/history/1");
    read(worlds, "/_sim/history");
    expect(JSON.stringify([sim.snapshot(), sim.journal.total, worlds.metrics()])).toBe(before);
  });

  test("0 is the beginning; another publisher's state can be asked for, and one that isn't there yet is null", () => {
    const worlds = worldsOf();
    const sim = world(worlds);
    impression(sim, "s-1");
    const joined = sim.publishers.signUp({ name: "Late" }).id;
    impression(sim, "s-2");
    const other = sim.publishers.at(1).id;
    const start = read<Shown>(worlds, `/_sim/history/0?publisher=${other}`);
    expect(start).toMatchObject({ sequence: 0, publisher: other, before: null });
    expect(start.after.publisher?.books.impressions).toBe(0);
    expect(read<Shown>(worlds, "/_sim/history/0").after.publisher).toBeNull();
    expect(read<Shown>(worlds, `/_sim/history/1?publisher=${joined}`).after.publisher).toBeNull();
    const later = read<Shown>(worlds, `/_sim/history/2?publisher=${joined}`);
    expect(later.before?.publisher?.name).toBe("Late");
  });

  test.each([
    ["/_sim/history/9", 404, "sequence"],
    ["/_sim/history/-1", 404, "sequence"],
    ["/_sim/history/x", 404, "sequence"],
    ["/_sim/history/1?publisher=nobody", 404, "publisher"],
    ["/_sim/history/1?nonsense=1", 400, "nonsense"],
  ])("%s is refused", (path, status, field) => {
    const worlds = worldsOf();
    impression(world(worlds), "s-1");
    const refusal = ask(worlds, "GET", path);
    expect(JSON.parse(refusal.body)).toMatchObject({ status, field });
  });
});

describe("GET history", () => {
  test("says which moments can be rebuilt, and what was done by hand", () => {
    const worlds = worldsOf({ journalEntries: 40 });
    const sim = world(worlds);
    sim.clock.advance("90s");
    for (let sent = 0; sent < 100; sent += 1) impression(sim, `s-${sent}`);
    sim.publishers.rotateKey(sim.publishers.at(1).id);
    const history = read<{ first: number; total: number; changes: { text: string }[] }>(
      worlds,
      "/_sim/history",
    );
    expect(history.total).toBe(100);
    expect(history.first).toBeGreaterThanOrEqual(60);
    expect(history.first).toBeLessThan(85);
    expect(history.changes).toMatchObject([
      { after: 100, text: `key of ${sim.publishers.at(1).id} rotated` },
    ]);
    expect(read<Shown>(worlds, `/_sim/history/${history.first}`).after.publisher).not.toBeNull();
    expect(ask(worlds, "GET", `/_sim/history/${history.first - 1}`).status).toBe(404);
  });

  test("says so if the journal is off", () => {
    const worlds = worldsOf({ journalEntries: 0 });
    impression(world(worlds), "s-1");
    expect(read<{ unavailable?: string }>(worlds, "/_sim/history").unavailable).toMatch(/journal/);
    expect(ask(worlds, "GET", "/_sim/history/1").status).toBe(404);
  });
});

describe("POST worlds", () => {
  test.each([
    [{ after: 1 }, 1],
    [{ before: 3 }, 2],
    [{ after: 0 }, 0],
  ])("with %j goes on from that moment", (moment, impressions) => {
    const worlds = worldsOf();
    for (const session of ["s-1", "s-2", "s-3"]) impression(world(worlds), session);
    expect(ask(worlds, "POST", "/_sim/worlds", { name: "then", ...moment }).status).toBe(201);
    expect(worlds.get("then").usage().impressions).toBe(impressions);
    expect(worlds.get("then").journal.total).toBe(0);
    impression(worlds.get("then"), "s-2");
    expect(world(worlds).usage().impressions).toBe(3);
  });

  test.each([
    [{ after: 4 }, "after"],
    [{ before: 0 }, "before"],
    [{ after: 1, before: 2 }, "before"],
    [{ after: "1" }, "after"],
  ])("with %j is refused, and no world is created", (moment, field) => {
    const worlds = worldsOf();
    impression(world(worlds), "s-1");
    const refusal = ask(worlds, "POST", "/_sim/worlds", { name: "then", ...moment });
    expect(JSON.parse(refusal.body).field).toBe(field);
    expect(worlds.names()).toEqual(["default"]);
  });
});

test("the moments of a scenario that was played in the world can be rebuilt, and those before it", async () => {
  const worlds = worldsOf({}, { modules: controlModules });
  impression(world(worlds), "s-1");
  const scenario = {
    name: "two",
    about: "Two impressions.",
    steps: [{ impression: { session_id: "a" } }, { advance: "1h" }, { impression: {} }],
  };
  const played = await askLater(worlds, "POST", "/_sim/scenarios/play", { scenario });
  expect(JSON.parse(played.body)).toMatchObject({ result: "passed" });
  impression(world(worlds), "s-2");
  const counts = [1, 2, 3, 4].map(
    (entry) => read<Shown>(worlds, `/_sim/history/${entry}`).after.publisher?.books.impressions,
  );
  expect(counts).toEqual([1, 1, 2, 3]);
});
