import { expect, test } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { auditOf, impressionBy, opened, performEffect, played, serverFor } from "./remote-world.ts";

test("a URL without a world gets a world with the given name, in the snapshot's state", async () => {
  const { server, sim, target } = await played(
    { seed: "other", publishers: 3, start: "2026-03-01T00:00:00Z" },
    { worldName: "busy-day" },
  );
  expect(target.description).toEqual({ kind: "adsim", url: `${server.url}/@busy-day` });
  expect(target.capabilities).toEqual({ time: { kind: "virtual" }, control: true });
  expect(server.worlds.names()).toContain("busy-day");
  expect(server.worlds.get("busy-day").snapshot()).toEqual(sim.snapshot());
  expect(await performEffect(target, "now")).toBe(sim.clock.now());
});

test("a world that the URL names is replaced, its journal and numbering included", async () => {
  const server = await serverFor();
  const world = server.worlds.get("mine");
  world.publishers.signUp();
  world.faults.add({ verdict: { kind: "reset" } });
  world.handle({ method: "GET", path: "/nowhere" });
  const sim = createSimulator({ seed: "new" });
  const target = await opened(`${server.url}/@mine/`, { snapshot: () => sim.snapshot() });
  expect(target.description.url).toBe(`${server.url}/@mine`);
  expect(world.snapshot()).toEqual(sim.snapshot());
  await performEffect(target, "send", { outgoing: impressionBy(sim.publishers.at(0)) });
  expect(await performEffect(target, "journal", { limit: 9 })).toMatchObject([{ sequence: 1 }]);
  expect(server.worlds.names()).not.toContain("played");
});

test("a clock that flows in the snapshot is frozen, and moves only by waiting", async () => {
  const sim = createSimulator({ clock: "flowing", wallClock: () => 0 });
  const server = await serverFor();
  const target = await opened(server.url, { snapshot: () => sim.snapshot() });
  const world = server.worlds.get("played");
  expect(world.clock.mode).toBe("frozen");
  const beganMs = await performEffect(target, "now");
  await performEffect(target, "wait", { ms: 36 * 3_600_000 });
  expect(await performEffect(target, "now")).toBe(beganMs + 36 * 3_600_000);
  expect(world.clock.now()).toBe(beganMs + 36 * 3_600_000);
});

test("publishers are as in process: by ordinal, signed up, with new keys and changed surfaces", async () => {
  const { server, sim, target } = await played({ publishers: 2 });
  const { id, apiKey, surfaces, joined } = sim.publishers.at(1);
  expect(await performEffect(target, "member", { ordinal: 1 })).toEqual({
    id,
    apiKey,
    surfaces,
    joined,
  });
  const request = { name: "Ünï", surfaces: ["One", { name: "Two", status: "paused" }] };
  const signedUp = await performEffect(target, "signUp", { request });
  const here = sim.publishers.signUp(request);
  expect(signedUp).toMatchObject({ id: here.id, apiKey: here.apiKey, surfaces: here.surfaces });
  // A publisher that signed up has no ordinal.
  expect(await performEffect(target, "member", { ordinal: 2 })).toBeUndefined();
  const rotated = await performEffect(target, "rotateKey", { publisher: id });
  expect(rotated.apiKey).toBe(sim.publishers.rotateKey(id).apiKey);
  const [surface] = surfaces;
  const change = { status: "paused", cpmRange: [1, 2] } as const;
  await performEffect(target, "setSurface", { publisher: id, surface: surface?.id ?? "", change });
  expect(server.worlds.get("played").publishers.get(id).surfaces[0]).toMatchObject(change);
});

test("assumptions and fault rules are as in process", async () => {
  const { sim, target } = await played();
  const rule = { id: "slow.1", verdict: { kind: "delay", delay: 5 } } as const;
  await performEffect(target, "assume", { choices: {} });
  await performEffect(target, "assume", {
    choices: { "dedup.repeat": "conflict", "dedup.key": undefined },
  });
  expect(await performEffect(target, "assumptions")).toEqual(
    sim.assume({ "dedup.repeat": "conflict" }),
  );
  expect(await performEffect(target, "fault", { rule })).toBe("slow.1");
  const second = await performEffect(target, "fault", { rule: { verdict: { kind: "reset" } } });
  sim.faults.add(rule);
  expect(second).toBe(sim.faults.add({ verdict: { kind: "reset" } }).rule.id);
  const there = await performEffect(target, "rules");
  expect(there).toEqual(JSON.parse(JSON.stringify(sim.faults.list())));

  await expect(performEffect(target, "heal", { ids: [second, "nothing"] })).rejects.toMatchObject({
    name: "InputError",
    reason: "not-found",
  });
  expect(await performEffect(target, "rules")).toEqual(there);
  await performEffect(target, "heal", { ids: [second, second] });
  expect(await performEffect(target, "rules")).toHaveLength(1);
  await performEffect(target, "heal", { ids: undefined });
  expect(await performEffect(target, "rules")).toEqual([]);
});

test("a refusal by the world is an InputError that says the same as in process", async () => {
  const { sim, target } = await played();
  const choices = { "dedup.repeat": "never" } as never;
  const inProcess = errorOf(() => sim.assume(choices));
  const overHttp = await performEffect(target, "assume", { choices }).catch((error) => error);
  expect(overHttp).toMatchObject({ name: "InputError", field: "dedup.repeat", reason: "invalid" });
  expect(inProcess.message).toContain(overHttp.message);
  const rule = { verdict: { kind: "delay" } } as never;
  await expect(performEffect(target, "fault", { rule })).rejects.toMatchObject({
    name: "InputError",
    field: "result.delay",
  });
});

function errorOf(act: () => void): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error("It wasn't refused.");
}

test("requests at one instant are answered in order, and the audit and the journal have them", async () => {
  const { sim, target } = await played();
  const outgoing = [0, 1, 0].map((ordinal) => impressionBy(sim.publishers.at(ordinal)));
  const exchanges = await performEffect(target, "together", { outgoing });
  const texts = outgoing.map(({ request }) => sim.handle(request).body);
  expect(exchanges.map(({ text }) => text)).toEqual(texts);
  expect(exchanges.map(({ atMs }) => atMs)).toEqual([0, 1, 2].map(() => sim.clock.now()));
  expect(exchanges[0]?.request).toBe(outgoing[0]?.request);
  expect(await performEffect(target, "audit")).toEqual(auditOf(sim));
  const last = await performEffect(target, "journal", { limit: 1 });
  expect(last.map(({ response }) => response.body)).toEqual(texts.slice(-1));
  expect(await performEffect(target, "journal", { limit: 0 })).toEqual([]);
  expect(JSON.stringify(last)).not.toContain(sim.publishers.at(0).apiKey);
});

test("a scratch copy starts from the played world, leaves no trace in it, and is removed", async () => {
  const { server, sim, target } = await played();
  const before = server.worlds.names();
  // Another user's world.
  server.worlds.get("played.scratch").publishers.signUp();
  const outgoing = impressionBy(sim.publishers.at(0));
  await performEffect(target, "send", { outgoing });
  sim.handle(outgoing.request);
  for (const _fork of ["first", "second"]) {
    await performEffect(target, "fork");
    const effect = { kind: "send", outgoing } as const;
    const scratch = await performEffect(target, "scratch", { effect });
    expect(scratch).toMatchObject({ status: 200, text: sim.fork().handle(outgoing.request).body });
    await performEffect(target, "scratch", { effect: { kind: "wait", ms: 5000 } });
    expect(await performEffect(target, "scratch", { effect: { kind: "now" } })).toBe(
      sim.clock.now() + 5000,
    );
  }
  expect(await performEffect(target, "now")).toBe(sim.clock.now());
  expect(await performEffect(target, "audit")).toEqual(auditOf(sim));
  await target.close();
  expect(server.worlds.names()).toEqual([...before, "played.scratch"]);
  expect(server.worlds.get("played.scratch").publishers.total).toBe(26);
  expect(server.worlds.get("played").audit().total.attempts).toBe(1);
});

test("a scratch copy must be forked before it is used", async () => {
  const { target } = await played();
  const asked = performEffect(target, "scratch", { effect: { kind: "now" } });
  await expect(asked).rejects.toThrow("fork the world first");
});

test("two plays at once in two worlds don't disturb each other", async () => {
  const server = await serverFor();
  const plays = ["one", "two"].map(async (worldName, index) => {
    const sim = createSimulator({ seed: worldName });
    const target = await opened(server.url, { worldName, snapshot: () => sim.snapshot() });
    for (let count = 0; count < 20; count += 1) {
      const outgoing = impressionBy(sim.publishers.at(count % 3));
      await performEffect(target, "wait", { ms: 1000 * (index + 1) });
      sim.clock.advance(1000 * (index + 1));
      const { text } = await performEffect(target, "send", { outgoing });
      expect(text).toBe(sim.handle(outgoing.request).body);
      await performEffect(target, "fork");
    }
    expect(await performEffect(target, "audit")).toEqual(auditOf(sim));
    await target.close();
  });
  await Promise.all(plays);
  expect(server.worlds.names().sort()).toEqual(["default", "one", "two"]);
});

test("paced, the clock moves as in virtual time, and real time passes too", async () => {
  const beganMs = performance.now();
  const { sim, target } = await played({}, { speed: 100 });
  expect(target.capabilities.time).toEqual({ kind: "paced", speed: 100 });
  for (let count = 0; count < 40; count += 1) await performEffect(target, "wait", { ms: 500 });
  // A timer may be a millisecond early.
  expect(performance.now() - beganMs).toBeGreaterThan(195);
  expect(await performEffect(target, "now")).toBe(sim.clock.now() + 20_000);
});
