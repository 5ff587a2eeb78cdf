/** The engine that goes into every trace: what it is made of, and what it does beside rebuilding one world. */

import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { inspectorAssets } from "../../src/inspector/assets.ts";
import { engineAssets } from "../../src/inspector/assets-engine.ts";
import { createEngine, type Engine } from "../../src/inspector/engine-worlds.ts";
import { traceOf } from "../../src/inspector/trace-worlds.ts";
import { createSimulatorCore } from "../../src/simulator/core.ts";
import type { HostedCore } from "../../src/simulator/simulator.ts";
import { createWorlds } from "../../src/simulator/worlds.ts";
import { fakerHost } from "../../src/world/publishers/people.ts";

const root = new URL("../../", import.meta.url).pathname;

test("it holds the simulator and three small packages, and nothing of Node or of people's names", async () => {
  const build = await rolldown({ input: `${root}src/inspector/engine.ts`, platform: "browser" });
  const { output } = await build.generate({ format: "iife" });
  const [{ moduleIds, imports }, ...others] = output;
  expect([imports, others]).toEqual([[], []]);
  const packages = moduleIds.flatMap(
    (id) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? [],
  );
  expect([...new Set(packages)].sort()).toEqual(["leven", "seedrandom", "valibot"]);
  const own = moduleIds.filter((id) => id.includes("/src/"));
  expect(own.length).toBeGreaterThan(100);
  expect(own.filter((id) => /\/(?:adapters|cli|testing|page)\//.test(id))).toEqual([]);
});

test("with the page it has at most 150 kB gzipped", async () => {
  const [{ engine }, { script, style }] = await Promise.all([engineAssets(), inspectorAssets()]);
  expect(gzipSync(engine + script + style, { level: 9 }).length).toBeLessThan(150_000);
});

function send(sim: Pick<HostedCore, "handle" | "publishers">, session: string): void {
  const { id, apiKey, surfaces } = sim.publishers.at(0);
  const event = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad", session_id: session };
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  sim.handle({ method: "POST", path: "/v1/impression", headers, body: JSON.stringify(event) });
}

function ask(engine: Engine, method: string, path: string, body?: object): Record<string, never> {
  const headers = { "content-type": "application/json" };
  const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
  const answer = engine.handle({ method, path, ...sent });
  return answer.body === "" ? {} : JSON.parse(answer.body);
}

function engineOf(sim: Simulator): Engine {
  const world = sim as unknown as HostedCore;
  const { trace } = traceOf([{ name: "default", world }], { title: "t", host: fakerHost });
  return createEngine(JSON.parse(JSON.stringify(trace)));
}

test("it has all worlds of a server, and rebuilds each when it is asked for", () => {
  const options = { seed: "many", publishers: 2 };
  const control = {
    refusal: () => ({ status: 500, headers: {}, body: "" }),
    *answer() {},
  } as never;
  const worlds = createWorlds({ options, host: fakerHost, control });
  for (const [name, count] of [
    ["default", 1],
    ["a", 2],
    ["b", 3],
  ] as const)
    for (let number = 0; number < count; number += 1) send(worlds.get(name), `s-${number}`);
  const traced = worlds.names().map((name) => ({ name, world: worlds.get(name) }));
  const { trace } = traceOf(traced as never, { title: "t", host: fakerHost });
  const engine = createEngine(JSON.parse(JSON.stringify(trace)));
  const listed = [
    { name: "default", requests: 1, impressions: 1 },
    { name: "a", requests: 2, impressions: 2 },
    { name: "b", requests: 3, impressions: 3 },
  ];
  expect(ask(engine, "GET", "/_sim/worlds").worlds).toMatchObject(listed);
  expect(ask(engine, "GET", "/@b/_sim/audit")).toMatchObject({ total: { applied: 3 } });
  expect(ask(engine, "GET", "/_sim/worlds").worlds).toHaveLength(3);
  // A fork of a world that nobody has asked for, and a name that such a world has.
  expect(ask(engine, "POST", "/_sim/worlds", { name: "c", from: "a", after: 1 })).toMatchObject({
    impressions: 1,
  });
  expect(ask(engine, "POST", "/_sim/worlds", { name: "a" })).toMatchObject({ status: 409 });
  expect(ask(engine, "DELETE", "/_sim/worlds/a")).toEqual({});
  // It makes no world up.
  for (const gone of ["a", "typo"])
    expect(engine.handle({ method: "GET", path: `/@${gone}/_sim/audit` }).status).toBe(412);
  expect(ask(engine, "GET", "/_sim/worlds").worlds).toHaveLength(3);
});

test("it shows the default world first, or another one if it doesn't have that", () => {
  const world = createSimulatorCore({ seed: "first" }, fakerHost);
  const engineOf = (first: string, ...others: string[]): Engine => {
    const worlds = [{ name: first, world }, ...others.map((name) => ({ name, world }))] as const;
    return createEngine(
      JSON.parse(JSON.stringify(traceOf(worlds, { title: "t", host: fakerHost }).trace)),
    );
  };
  expect(engineOf("a", "default").world).toBe("default");
  expect(engineOf("b", "a").world).toBe("b");
  expect(engineOf("b").handle({ method: "GET", path: "/_sim/audit" }).status).toBe(412);
});

test("names that it doesn't have are simple, and change nothing else", () => {
  const sim = createSimulator({ seed: "names", publishers: 100 });
  send(sim, "s");
  const engine = engineOf(sim);
  const { publishers } = ask(engine, "GET", "/_sim/publishers?limit=100") as unknown as {
    publishers: { name: string }[];
  };
  const own = sim.publishers.list({ limit: 100 });
  expect(publishers.slice(0, 25)).toEqual(own.slice(0, 25));
  expect(publishers[60]).toEqual({
    ...own[60],
    name: "Publisher 60",
    contact: { name: "publisher-60", email: "publisher-60@example.com" },
    upiId: "publisher-60@invalid",
  });
});

test("it says which requests get other answers than the recorded ones", () => {
  const sim = createSimulator({ seed: "other" });
  for (const session of ["a", "b", "c"]) send(sim, session);
  const world = sim as unknown as HostedCore;
  const { trace } = traceOf([{ name: "default", world }], { title: "t", host: fakerHost });
  const text = JSON.stringify(trace).replace(/"session_id\\":\\"c/, '"session_id\\":\\"a');
  expect(createEngine(JSON.parse(text)).notes("default")).toEqual([
    "Done again, these requests got other answers than the recorded ones: 3.",
  ]);
});

test("a running clock stands still in the file, and rules that are functions decide as they did and then nothing", () => {
  let realMs = Date.UTC(2026, 0, 15);
  const sim = createSimulator({ clock: "flowing", wallClock: () => realMs });
  let calls = 0;
  sim.faults.add(() => {
    calls += 1;
    return calls === 2 ? { kind: "respond", status: 503 } : undefined;
  });
  for (const session of ["a", "b", "c"]) {
    realMs += 61_000;
    send(sim, session);
  }
  const engine = engineOf(sim);
  expect(engine.notes("default")).toEqual([
    "The clock ran. In this file it stands still until you advance it.",
  ]);
  expect(ask(engine, "GET", "/_sim/clock")).toEqual({
    mode: "frozen",
    now: "2026-01-15T00:03:03.000Z",
  });
  const { entries } = ask(engine, "GET", "/_sim/journal") as unknown as {
    entries: { at: string; response: { status: number } }[];
  };
  expect(entries.map(({ response }) => response.status)).toEqual([200, 503, 200]);
  expect(entries.map(({ at }) => at)).toEqual(sim.journal.entries().map(({ at }) => at));
  expect(calls).toBe(3);
});

test("every entry has its time, although a running clock moves between its creation and the first saved state", () => {
  let realMs = Date.UTC(2026, 5, 1);
  // Real time goes on with every look at it.
  const wallClock = (): number => {
    realMs += 7;
    return realMs;
  };
  for (const clock of ["flowing", "system"] as const) {
    const sim = createSimulator({ clock, wallClock });
    send(sim, "a");
    sim.clock.advance("1h");
    send(sim, "b");
    sim.publishers.rotateKey(sim.publishers.at(1).id);
    send(sim, "c");
    const { entries } = ask(engineOf(sim), "GET", "/_sim/journal") as unknown as {
      entries: { at: string }[];
    };
    expect(entries.map(({ at }) => at)).toEqual(sim.journal.entries().map(({ at }) => at));
  }
});

test("what the file does to stop clocks isn't listed as done by hand, and clocks of worlds made in it stand still", () => {
  let realMs = Date.UTC(2026, 0, 15);
  const sim = createSimulator({ clock: "flowing", wallClock: () => realMs });
  for (const session of ["a", "b"]) {
    realMs += 61_000;
    send(sim, session);
  }
  sim.clock.advance("1h");
  const engine = engineOf(sim);
  expect(ask(engine, "GET", "/_sim/history").changes).toMatchObject([
    { after: 2, text: "clock advanced by 1 h" },
  ]);
  expect(ask(engine, "GET", "/_sim/history/1").after).toMatchObject({ mode: "flowing" });
  ask(engine, "POST", "/_sim/worlds", { name: "then", after: 1 });
  const now = "2026-01-15T00:01:01.000Z";
  expect(ask(engine, "GET", "/@then/_sim/clock")).toEqual({ mode: "frozen", now });
  ask(engine, "POST", "/@then/_sim/reset", {});
  expect(ask(engine, "GET", "/@then/_sim/clock")).toMatchObject({ mode: "frozen" });
});

test("a journal that is off can't be traced", async () => {
  const sim = createSimulator({ journalEntries: 0 });
  await expect(sim.trace()).rejects.toThrow("journalEntries must not be 0");
});
