/** Worlds by name: one server, many simulators that share nothing. */

import { describe, expect, test } from "vitest";
import { InputError } from "../../src/base/input.ts";
import { isControlTarget } from "../../src/base/world-path.ts";
import { createControl } from "../../src/control/control.ts";
import { createKeptWorlds } from "../../src/simulator/kept-worlds.ts";
import { createWorlds, type Worlds } from "../../src/simulator/worlds.ts";
import type { ApiResponse } from "../../src/spec/messages.ts";
import { fakerPerson } from "../../src/world/publishers/people.ts";

function worldsOf(maxWorlds?: number, { journalBytes }: { journalBytes?: number } = {}): Worlds {
  return createWorlds({
    options: { publishers: 3, seed: "worlds" },
    journalBytes,
    host: { people: () => fakerPerson },
    control: createControl(),
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
  test("are created on first use, with the same publishers", () => {
    const worlds = worldsOf();
    expect(worlds.names()).toEqual([]);
    expect(record(worlds, "/@a", "s").status).toBe(200);
    expect(worlds.names()).toEqual(["default", "a"]);
    expect(worlds.get("a").publishers.at(0)).toEqual(worlds.get("default").publishers.at(0));
  });

  test("answer the same requests with the same bytes, and share no state", () => {
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

  test("have their own rate limits", () => {
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

  test("named default are the default world", () => {
    const worlds = worldsOf();
    worlds.handle({ method: "GET", path: "/@default/x" });
    worlds.handle({ method: "GET", path: "/x" });
    expect(worlds.names()).toEqual(["default"]);
    expect(worlds.get("default").journal.total).toBe(2);
  });

  test.each(["", "a b", "é", "a%20b", "a:b", "a@b", ".", "..", "x".repeat(65)])(
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

  test.each(["a", "A.b_c-9", "x".repeat(64), "__proto__", "a..b"])("can be called %j", (name) => {
    const worlds = worldsOf();
    expect(worlds.handle({ method: "GET", path: `/@${name}/_sim/health` }).status).toBe(200);
    expect(worlds.names()).toEqual([name]);
  });

  test("beyond the maximum replace the least recently used one", () => {
    const worlds = worldsOf(3);
    worlds.get("default");
    record(worlds, "/@a", "s");
    record(worlds, "/@b", "s");
    record(worlds, "/@a", "t");
    expect(record(worlds, "/@c", "s").status).toBe(200);
    expect(worlds.names()).toEqual(["default", "a", "c"]);
    expect(worlds.usage().worlds).toEqual({ count: 3, max: 3, dropped: 1 });
    // The default world always has a place.
    worlds.delete("default");
    expect(worlds.handle({ method: "GET", path: "/_sim/health" }).status).toBe(200);
  });

  test("that were dropped answer 410 until they are reset or deleted", () => {
    const worlds = worldsOf(2);
    record(worlds, "/@a", "s");
    record(worlds, "/@b", "s");
    for (const path of ["/@a/v1/click", "/@a/_sim/health", "/@a/_sim/journal"]) {
      const response = worlds.handle({ method: "GET", path });
      expect(response.status, path).toBe(410);
      expect(response.headers["x-ratelimit-remaining"]).toBe("60");
      expect(JSON.parse(response.body)).toMatchObject({
        type: "urn:adsim:control:gone",
        field: "world",
        detail: expect.stringMatching(/--max-worlds/),
      });
    }
    expect(worlds.names()).toEqual(["default", "b"]);
    // A request that is refused doesn't free the name.
    const wrong = { method: "POST", path: "/@a/_sim/reset", body: { no: 1 } };
    expect(worlds.handle(wrong).status).toBe(400);
    expect(record(worlds, "/@a", "s").status).toBe(410);
    expect(worlds.handle({ method: "POST", path: "/@a/_sim/reset" }).status).toBe(200);
    expect(record(worlds, "/@a", "s").status).toBe(200);
    expect(record(worlds, "/@b", "s").status).toBe(410);
    expect(worlds.handle({ method: "DELETE", path: "/_sim/worlds/b" }).status).toBe(204);
    expect(record(worlds, "/@b", "s").status).toBe(200);
  });

  test("are at most 200: the 201st drops the least recently used, but never the default one", () => {
    const worlds = worldsOf();
    worlds.get("default");
    for (let number = 1; number <= 199; number += 1) worlds.get(`w${number}`);
    worlds.get("w1");
    worlds.get("one-more");
    expect(worlds.names()).toHaveLength(200);
    expect(worlds.names().slice(0, 3)).toEqual(["default", "w1", "w3"]);
    expect(worlds.handle({ method: "GET", path: "/@w2/v1/click" }).status).toBe(410);
    expect(worlds.usage().worlds).toEqual({ count: 200, max: 200, dropped: 1 });
  });

  test("may take the name of one that was dropped 10,000 worlds ago", () => {
    const kept = createKeptWorlds({ maxWorlds: 2, journalBytes: 1 }, "default");
    const world = worldsOf().get("a");
    for (let number = 0; number <= 10_001; number += 1) {
      kept.makeRoom(`w${number}`);
      kept.add(`w${number}`, world);
    }
    expect([0, 1, 10_000].map((number) => kept.wasDropped(`w${number}`))).toEqual([
      false,
      true,
      true,
    ]);
  });

  test("other than the default one are refused with 409 if the maximum is 1", () => {
    const worlds = worldsOf(1);
    const response = worlds.handle({ method: "GET", path: "/@c/v1/click" });
    expect(response.status).toBe(409);
    expect(JSON.parse(response.body).detail).toContain("1 worlds");
  });
});

describe("the journals of all worlds together", () => {
  const body = "x".repeat(10_000);
  const send = (worlds: Worlds, world: string, times: number): void => {
    for (let count = 0; count < times; count += 1) {
      worlds.handle({ method: "POST", path: `/@${world}/v1/click`, body });
    }
  };
  const kept = (worlds: Worlds): number[] =>
    worlds.names().map((name) => worlds.get(name).journal.kept);

  test("stay within their byte limit, and the largest drops entries first", () => {
    const worlds = worldsOf(undefined, { journalBytes: 1_000_000 });
    send(worlds, "small", 5);
    send(worlds, "large", 200);
    send(worlds, "new", 20);
    const { bytes, limitBytes } = worlds.usage().journals;
    expect(limitBytes).toBe(1_000_000);
    expect(bytes).toBeLessThanOrEqual(limitBytes);
    expect(bytes).toBeGreaterThan(limitBytes - 20_000);
    const [small, large = 0, fresh] = kept(worlds);
    expect([small, fresh]).toEqual([5, 20]);
    expect(large).toBeGreaterThan(50);
    // The latest entries are left.
    expect(worlds.get("large").journal.entries()[0]?.sequence).toBe(200 - large + 1);
  });

  test("of 60 worlds stay within it too; any limit leaves the last entry recorded", () => {
    const worlds = worldsOf(undefined, { journalBytes: 300_000 });
    for (let world = 0; world < 60; world += 1) send(worlds, `w${world}`, 3);
    expect(worlds.usage().journals.bytes).toBeLessThanOrEqual(300_000);
    const tight = worldsOf(undefined, { journalBytes: 1 });
    send(tight, "a", 3);
    send(tight, "b", 3);
    expect(kept(tight)).toEqual([0, 1]);
  });

  test("free the bytes of a world that is cleared, reset or deleted", () => {
    const worlds = worldsOf(undefined, { journalBytes: 10_000_000 });
    for (const name of ["a", "b", "c"]) send(worlds, name, 10);
    const each = worlds.usage().journals.bytes / 3;
    worlds.get("a").journal.clear();
    expect(worlds.usage().journals.bytes).toBe(2 * each);
    worlds.get("b").reset();
    const last = worlds.get("c");
    worlds.delete("c");
    expect(worlds.usage().journals.bytes).toBe(0);
    // A caller that still holds the deleted world can go on using it.
    last.handle({ method: "POST", path: "/v1/click", body });
    expect([last.journal.kept, worlds.usage().journals.bytes]).toEqual([11, 0]);
    worlds.fork("d", "a").handle({ method: "POST", path: "/v1/click", body });
    worlds.get("a").fork().handle({ method: "POST", path: "/v1/click", body });
    expect(worlds.usage().journals.bytes).toBe(each / 10);
  });
});

describe("in process", () => {
  test("a world can be forked under another name, with fault rules that are functions", () => {
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
  ])(
    "a fork called %j of %j is refused with an error that names %s",
    (name, from, field, reason) => {
      const worlds = worldsOf();
      worlds.get("a");
      expect(() => worlds.fork(name, from)).toThrow(expect.objectContaining({ field, reason }));
      expect(worlds.names()).toEqual(["a"]);
    },
  );

  test("a deleted world is gone, and its name creates a new one", () => {
    const worlds = worldsOf();
    const first = worlds.get("a");
    expect(worlds.delete("a")).toBe(true);
    expect(worlds.delete("a")).toBe(false);
    expect(worlds.names()).toEqual([]);
    expect(worlds.get("a")).not.toBe(first);
    // A caller that still holds the old one can go on using it.
    expect(first.usage()).toEqual({ publishersTouched: 0, impressions: 0 });
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
  ])("a request to %s would create a world: %s", (path, expected) => {
    const worlds = worldsOf();
    worlds.get("there");
    expect(worlds.wouldMake(path)).toBe(expected);
    expect(worlds.names()).toEqual(["there"]);
  });

  test("metrics count what all worlds hold together", () => {
    const worlds = worldsOf();
    record(worlds, "/@a", "1");
    record(worlds, "/@a", "2");
    record(worlds, "/@b", "1");
    const usage = (): Record<string, number | undefined> =>
      Object.fromEntries(worlds.metrics().map(({ name, samples }) => [name, samples[0]?.value]));
    // The default world was created to look up a key.
    expect(usage()).toMatchObject({
      adsim_worlds: 3,
      adsim_impressions_held: 3,
      adsim_journal_entries: 3,
    });
    worlds.get("a").journal.clear();
    worlds.delete("b");
    expect(usage()).toMatchObject({
      adsim_worlds: 2,
      adsim_impressions_held: 2,
      adsim_journal_entries: 0,
      adsim_journal_bytes: 0,
      adsim_journal_bytes_limit: 268_435_456,
      adsim_worlds_limit: 200,
      adsim_worlds_dropped_total: 0,
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
