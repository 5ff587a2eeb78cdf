/** Worlds by name: one server, many simulators that share nothing. */

import { describe, expect, test } from "vitest";
import { controlModules } from "../../src/adapters/control-modules.ts";
import { InputError } from "../../src/base/input.ts";
import { isControlTarget } from "../../src/base/world-path.ts";
import { createControl } from "../../src/control/control.ts";
import { createWorlds, type Worlds } from "../../src/simulator/worlds.ts";
import type { ApiResponse } from "../../src/spec/messages.ts";
import { fakerPerson } from "../../src/world/publishers/people.ts";
import { isThorough } from "../budget.ts";
import { senderOf } from "../operation-sender.ts";

function worldsOf(limits: { maxWorlds?: number; journalBytes?: number } = {}): Worlds {
  return createWorlds({
    options: { publishers: 1, seed: "worlds" },
    host: { people: () => fakerPerson },
    control: createControl(controlModules),
    ...limits,
  });
}

const get = (worlds: Worlds, path: string): ApiResponse => worlds.handle({ method: "GET", path });

test("are created on first use, answer equal requests with equal bytes, and share no state", () => {
  const worlds = worldsOf();
  expect(worlds.names()).toEqual([]);
  const first = senderOf(worlds.get("a")).impression("s");
  const untouched = worlds.get("b").snapshot();
  worlds.get("a").clock.advance("1h");
  worlds.get("a").reset({ seed: "other" });
  expect(worlds.get("b").snapshot()).toEqual(untouched);
  expect(worlds.get("b").journal.total).toBe(0);
  expect(senderOf(worlds.get("b")).impression("s")).toEqual(first);
  expect(worlds.names()).toEqual(["a", "b"]);
});

test.each([
  ["/@a/v1/click", "a", "/v1/click"],
  ["/@a//v1/click", "a", "//v1/click"],
  ["/@a", "a", "/"],
  ["/@a?x=1", "a", "/"],
  ["/@a/@b/v1/click", "a", "/@b/v1/click"],
  ["/@default/x", "default", "/x"],
  ["/x", "default", "/x"],
  ["/@A.b_c-9/x", "A.b_c-9", "/x"],
  [`/@${"x".repeat(64)}/x`, "x".repeat(64), "/x"],
  ["/@__proto__/x", "__proto__", "/x"],
  ["/@a..b/x", "a..b", "/x"],
  ["*", "default", "*"],
])("a request to %s goes to the world %s, which sees %s", (path, name, seen) => {
  const worlds = worldsOf();
  get(worlds, path);
  expect(worlds.names()).toEqual([name]);
  expect(worlds.get(name).journal.entries()[0]?.request.path).toBe(seen);
});

test.each(["", "a b", "é", "a%20b", "a:b", "a@b", ".", "..", "x".repeat(65)])(
  "no world is called %j",
  (name) => {
    const worlds = worldsOf();
    for (const path of ["v1/click", "", "_sim/health", "_sim/worlds", "_sim/no"]) {
      const response = get(worlds, `/@${name}/${path}`);
      expect(response.status, path).toBe(400);
      expect(JSON.parse(response.body).detail).toContain("1 to 64 letters");
    }
    expect(() => worlds.get(name)).toThrow(InputError);
    expect(worlds.names()).toEqual([]);
  },
);

describe("beyond the maximum", () => {
  const statusOf = (worlds: Worlds, path: string): number => get(worlds, path).status;

  test("of 200 the least recently used world is dropped, but never the default one", () => {
    const worlds = worldsOf();
    get(worlds, "/v1/click");
    for (let number = 1; number <= 199; number += 1) worlds.get(`w${number}`);
    get(worlds, "/@w1/v1/click");
    get(worlds, "/@one-more/v1/click");
    expect(worlds.names().slice(0, 3)).toEqual(["default", "w1", "w3"]);
    expect(worlds.usage().worlds).toEqual({ count: 200, max: 200, dropped: 1 });
    expect(worlds.droppedNames()).toEqual(["w2"]);
    // The default world always has a place.
    worlds.delete("default");
    worlds.get("w2000");
    expect(statusOf(worlds, "/_sim/health")).toBe(200);
  });

  test("a dropped one answers 410", () => {
    const worlds = worldsOf({ maxWorlds: 2 });
    for (const name of ["a", "b"]) worlds.get(name);
    for (const path of ["v1/click", "_sim/health", "_sim/journal"]) {
      const response = get(worlds, `/@a/${path}`);
      expect(response.status, path).toBe(410);
      expect(JSON.parse(response.body).detail).toContain("--max-worlds");
    }
    // It goes on even if a request that would bring the world back is refused, or concerns others.
    const wrong = { method: "POST", path: "/@a/_sim/reset", body: { no: 1 } };
    expect(worlds.handle(wrong).status).toBe(400);
    expect(statusOf(worlds, "/@a/_sim/worlds")).toBe(200);
    expect(statusOf(worlds, "/@a/v1/click")).toBe(410);
  });

  test.each([
    ["DELETE", "/_sim/worlds/a", undefined],
    ["POST", "/@a/_sim/reset", undefined],
    ["PUT", "/@a/_sim/snapshot", { ...worldsOf().get("a").snapshot() }],
    ["POST", "/_sim/worlds", { name: "a" }],
  ])("until %s %s frees its name", (method, path, body) => {
    const worlds = worldsOf({ maxWorlds: 3 });
    for (const name of ["a", "b", "c"]) worlds.get(name);
    expect(statusOf(worlds, "/@a/v1/click")).toBe(410);
    expect(worlds.handle({ method, path, body }).status).toBeLessThan(300);
    expect(worlds.droppedNames()).not.toContain("a");
    expect(statusOf(worlds, "/@a/v1/click")).toBe(405);
  });

  // Making so many worlds takes seconds.
  test(`the latest ${isThorough ? "10,000" : "300"} names are remembered`, () => {
    const worlds = worldsOf({ maxWorlds: 2 });
    const made = isThorough ? 10_001 : 300;
    for (let number = 0; number <= made; number += 1) worlds.get(`w${number}`);
    const dropped = worlds.droppedNames();
    const names = Array.from({ length: made }, (_, number) => `w${number}`);
    expect(dropped).toEqual(names.slice(-10_000));
  });

  test("of 1 there is only the default world", () => {
    const response = get(worldsOf({ maxWorlds: 1 }), "/@c/v1/click");
    expect(response.status).toBe(409);
    expect(JSON.parse(response.body).detail).toContain("1 worlds");
  });
});

test("the largest journal drops entries beyond the limit of all, but not the one just recorded", () => {
  const send = (worlds: Worlds, name: string, times: number): number => {
    const request = { method: "POST", path: "/v1/click", body: "x".repeat(10_000) };
    for (let count = 0; count < times; count += 1) worlds.get(name).handle(request);
    return worlds.get(name).journal.kept;
  };
  const worlds = worldsOf({ journalBytes: 1_000_000 });
  expect([send(worlds, "small", 5), send(worlds, "new", 20)]).toEqual([5, 20]);
  expect(send(worlds, "large", 200)).toBeGreaterThan(50);
  expect([send(worlds, "small", 0), send(worlds, "new", 0)]).toEqual([5, 20]);
  const usedBytes = (): number => worlds.usage().journals.bytes;
  expect([usedBytes() <= 1_000_000, usedBytes() > 980_000]).toEqual([true, true]);
  const large = worlds.get("large");
  worlds.get("new").journal.clear();
  for (const name of ["large", "small"]) worlds.delete(name);
  large.handle({ method: "GET", path: "/x" });
  // A copy of the state that "new" began with.
  expect(usedBytes()).toBeLessThan(1000);
  const tight = worldsOf({ journalBytes: 1 });
  expect([send(tight, "a", 3), send(tight, "b", 3), send(tight, "a", 0)]).toEqual([1, 1, 0]);
});

test("metrics count what all worlds hold together", () => {
  const worlds = worldsOf();
  for (const name of ["a", "a", "b"]) senderOf(worlds.get(name)).impression();
  const figures = (): (number | undefined)[] =>
    ["worlds", "worlds_limit", "impressions_held", "journal_entries", "journal_bytes_limit"].map(
      (name) => worlds.metrics().find((one) => one.name === `adsim_${name}`)?.samples[0]?.value,
    );
  expect(figures()).toEqual([2, 200, 3, 3, 268_435_456]);
  worlds.get("a").journal.clear();
  worlds.delete("b");
  expect(figures()).toEqual([1, 200, 2, 0, 268_435_456]);
});

test.each([
  ["/_sim", true, false],
  ["/@new/_sim/health", true, true],
  ["/@/_sim", true, true],
  ["/_simx", false, false],
  ["/v1/_sim/health", false, false],
  ["/@new/x/_sim", false, true],
  ["//_sim/health", false, false],
  ["/@there/v1/click", false, false],
  ["/@new?x=/", false, true],
  ["*", false, false],
])("%s belongs to the control API: %s, and would create a world: %s", (path, isControl, makes) => {
  const worlds = worldsOf();
  worlds.get("there");
  expect([isControlTarget(path), worlds.wouldMake(path)]).toEqual([isControl, makes]);
});
