/** Worlds by name: one server, many simulators that share nothing. */

import { describe, expect, test } from "vitest";
import { InputError } from "../src/base/input.ts";
import type { ApiResponse } from "../src/contract/messages.ts";
import { createControl } from "../src/control/control.ts";
import { fakerPeople } from "../src/publishers/people.ts";
import { createWorlds, isControlTarget, type Worlds } from "../src/worlds.ts";

function worldsOf(maxWorlds?: number): Worlds {
  return createWorlds({
    options: { publishers: 3, seed: "worlds" },
    surroundings: { people: () => fakerPeople },
    control: createControl({ version: "0.0.0" }),
    maxWorlds,
  });
}

function record(worlds: Worlds, prefix: string, session: string): ApiResponse {
  const { id, apiKey, surfaces } = worlds.get("default").publishers.at(0);
  return worlds.handle({
    method: "POST",
    path: `${prefix}/v1/impression`,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      publisher_id: id,
      surface: surfaces[0]?.id,
      ad_id: "ad",
      session_id: session,
    }),
  });
}

describe("worlds", () => {
  test("come into being on first use, with one population", () => {
    const worlds = worldsOf();
    expect(worlds.names()).toEqual([]);
    expect(record(worlds, "/@a", "s").status).toBe(200);
    expect(worlds.names()).toEqual(["default", "a"]);
    expect(worlds.get("a").publishers.at(0)).toEqual(worlds.get("default").publishers.at(0));
  });

  test("give the same requests the same bytes, and don't see each other's", () => {
    const worlds = worldsOf();
    const first = record(worlds, "/@a", "s");
    const untouched = worlds.get("b").snapshot();
    expect(record(worlds, "/@a", "s")).not.toEqual(first);
    expect(worlds.get("b").snapshot()).toEqual(untouched);
    expect(worlds.get("b").journal.entries()).toEqual([]);
    expect(record(worlds, "/@b", "s")).toEqual(first);
    worlds.get("a").clock.advance("1h");
    expect(worlds.get("b").clock.now()).toBe(worlds.get("default").clock.now());
    worlds.get("a").reset({ seed: "other" });
    expect(worlds.get("b").seed).toBe("worlds");
  });

  test("have limits of their own", () => {
    const worlds = worldsOf();
    const remaining = (response: ApiResponse): string | undefined =>
      response.headers["x-ratelimit-remaining"];
    record(worlds, "/@a", "1");
    expect(remaining(record(worlds, "/@a", "2"))).toBe("9998");
    expect(remaining(record(worlds, "/@b", "1"))).toBe("9999");
  });

  test("see the path without their name", () => {
    const worlds = worldsOf();
    for (const [path, seen] of [
      ["/@a/v1/click", "/v1/click"],
      ["/@a//v1/click", "//v1/click"],
      ["/@a", "/"],
      ["/@a?x=1", "/"],
      ["/@a/@b/v1/click", "/@b/v1/click"],
    ] as const) {
      worlds.handle({ method: "GET", path });
      expect(worlds.get("a").journal.entries({ limit: 1 })[0]?.request.path).toBe(seen);
    }
    expect(worlds.names()).toEqual(["a"]);
  });

  test("that are named default are the default one", () => {
    const worlds = worldsOf();
    worlds.handle({ method: "GET", path: "/@default/x" });
    worlds.handle({ method: "GET", path: "/x" });
    expect(worlds.names()).toEqual(["default"]);
    expect(worlds.get("default").journal.total).toBe(2);
  });

  test.each(["", "a b", "é", "a%20b", "a:b", "a@b", "x".repeat(65)])(
    "can't be called %j",
    (name) => {
      const worlds = worldsOf();
      for (const path of [
        "v1/click",
        "",
        "_sim/health",
        "_sim/worlds",
        "_sim/metrics",
        "_sim/no",
      ]) {
        const response = worlds.handle({ method: "GET", path: `/@${name}/${path}` });
        expect(response.status, path).toBe(400);
        expect(response.headers["content-type"]).toBe("application/problem+json");
        expect(response.headers["x-ratelimit-remaining"]).toBe("60");
        expect(JSON.parse(response.body)).toMatchObject({
          field: "world",
          detail: expect.stringContaining("1 to 64 letters"),
        });
      }
      expect(() => worlds.get(name)).toThrow(InputError);
      expect(worlds.names()).toEqual([]);
    },
  );

  test.each(["a", "A.b_c-9", "x".repeat(64), "__proto__", ".", ".."])(
    "can be called %j",
    (name) => {
      const worlds = worldsOf();
      expect(worlds.handle({ method: "GET", path: `/@${name}/_sim/health` }).status).toBe(200);
      expect(worlds.names()).toEqual([name]);
    },
  );

  test("are no more than were allowed", () => {
    const worlds = worldsOf(3);
    worlds.get("a");
    worlds.get("b");
    for (const path of ["/@c/v1/click", "/@c/_sim/health"]) {
      const response = worlds.handle({ method: "GET", path });
      expect(response.status, path).toBe(409);
      expect(JSON.parse(response.body).detail).toContain("3 worlds");
    }
    expect(worlds.handle({ method: "GET", path: "/@a/_sim/health" }).status).toBe(200);
    // The default world always has a place.
    expect(worlds.handle({ method: "GET", path: "/_sim/health" }).status).toBe(200);
    expect(worlds.names()).toEqual(["a", "b", "default"]);
  });
});

describe("in process", () => {
  test("a world is forked under another name, functions as rules included", () => {
    const worlds = worldsOf();
    const origin = worlds.get("a");
    origin.faults.add(() => ({ kind: "respond", status: 500 }));
    const copy = worlds.fork("b", "a");
    expect(worlds.get("b")).toBe(copy);
    expect(record(worlds, "/@b", "s").status).toBe(500);
    expect(copy.faults.list()[0]?.fired).toBe(1);
    expect(origin.faults.list()[0]?.fired).toBe(0);
  });

  test.each([
    ["a", "a", "name", "conflict"],
    ["b", "nowhere", "from", "not-found"],
    ["b c", "a", "name", "invalid"],
    ["b c", "nowhere", "name", "invalid"],
  ])("a fork called %j of %j is refused for %s", (name, from, field, reason) => {
    const worlds = worldsOf();
    worlds.get("a");
    expect(() => worlds.fork(name, from)).toThrow(expect.objectContaining({ field, reason }));
    expect(worlds.names()).toEqual(["a"]);
  });

  test("a world that is deleted is gone, and its name makes another", () => {
    const worlds = worldsOf();
    const first = worlds.get("a");
    expect(worlds.delete("a")).toBe(true);
    expect(worlds.delete("a")).toBe(false);
    expect(worlds.names()).toEqual([]);
    expect(worlds.get("a")).not.toBe(first);
    // Who still has the old one can go on with it.
    expect(first.held()).toEqual({ publishersTouched: 0, impressions: 0 });
  });

  test.each([
    ["/v1/click", false],
    ["/_sim/health", false],
    ["/@default/v1/click", false],
    ["/@there/v1/click", false],
    ["/@there", false],
    ["/@new/v1/click", true],
    ["/@new?x=/", true],
    ["/@new", true],
    ["*", false],
  ])("a request to %s would make a world: %s", (path, expected) => {
    const worlds = worldsOf();
    worlds.get("there");
    expect(worlds.wouldMake(path)).toBe(expected);
    expect(worlds.names()).toEqual(["there"]);
  });

  test("what they hold is counted over all of them", () => {
    const worlds = worldsOf();
    record(worlds, "/@a", "1");
    record(worlds, "/@a", "2");
    record(worlds, "/@b", "1");
    const held = (): Record<string, number | undefined> =>
      Object.fromEntries(worlds.metrics().map(({ name, samples }) => [name, samples[0]?.value]));
    // The default one was made to look up a key.
    expect(held()).toEqual({
      adsim_worlds: 3,
      adsim_impressions_held: 3,
      adsim_journal_entries: 3,
    });
    worlds.get("a").journal.clear();
    worlds.delete("b");
    expect(held()).toEqual({
      adsim_worlds: 2,
      adsim_impressions_held: 2,
      adsim_journal_entries: 0,
    });
  });
});

test.each([
  ["/_sim", true],
  ["/_sim/", true],
  ["/_sim/health", true],
  ["/_sim?x", true],
  ["/@a/_sim/health", true],
  ["/@/_sim", true],
  ["/_simx", false],
  ["/v1/_sim/health", false],
  ["/@a/x/_sim", false],
  ["//_sim/health", false],
])("%s belongs to the control API: %s", (path, expected) => {
  expect(isControlTarget(path)).toBe(expected);
});
