/** Worlds over the control API: listed, forked, deleted; and which requests create one. */

import { expect, test } from "vitest";
import { ask, worldsOf } from "../worlds.ts";
import { record, stage } from "./every-route.ts";

const START = "2026-01-15T00:00:00.000Z";

test("are listed with what they hold", () => {
  const used = { requests: 2, publishersTouched: 1, impressions: 2 };
  const unused = { requests: 0, publishersTouched: 0, impressions: 0 };
  expect(JSON.parse(ask(stage(), "GET", "/_sim/worlds").body)).toEqual({
    worlds: [
      { name: "default", seed: "adsim", now: "2026-01-15T00:01:00.000Z", ...used },
      { name: "other", seed: "adsim", now: START, ...unused },
    ],
    max: 200,
    dropped: 0,
  });
});

test("are not created by reading the list or the metrics, nor by a request with If-Match: *", () => {
  const worlds = worldsOf({}, { maxWorlds: 7 });
  for (const path of ["/_sim/worlds", "/@a/_sim/worlds", "/@a/_sim/metrics"]) {
    expect(ask(worlds, "GET", path).status).toBe(200);
  }
  expect(ask(worlds, "GET", "/_sim/worlds").body).toBe('{"worlds":[],"max":7,"dropped":0}');
  const send = (method: string, path: string) =>
    worlds.handle({ method, path, headers: { "if-match": "*" } });
  for (const [method, path] of [
    ["GET", "/@a/_sim/health"],
    ["POST", "/@a/_sim/reset"],
    ["GET", "/@a/_sim/events"],
  ] as const) {
    const { status, body } = send(method, path);
    expect([status, JSON.parse(body).field]).toEqual([412, "world"]);
    expect(body).toContain("Without the header If-Match: * this request would create it.");
  }
  expect(worlds.names()).toEqual([]);
  worlds.get("a");
  expect(send("GET", "/@a/_sim/health").status).toBe(200);
  // The default world is always there.
  expect(send("GET", "/_sim/health").status).toBe(200);
});

test("can be forked from another one, and share nothing with it afterwards", () => {
  const worlds = stage();
  const made = ask(worlds, "POST", "/_sim/worlds", { name: "copy", from: "default" });
  expect([made.status, made.headers.location]).toEqual([201, "/@copy/_sim/health"]);
  expect(JSON.parse(made.body)).toEqual({
    ...{ name: "copy", seed: "adsim", now: "2026-01-15T00:01:00.000Z" },
    // The journal isn't part of the state.
    ...{ requests: 0, publishersTouched: 1, impressions: 2 },
  });
  const [origin, copy] = [worlds.get("default"), worlds.get("copy")];
  expect(copy.snapshot()).toEqual(origin.snapshot());
  expect(copy.faults.list()).toEqual(origin.faults.list());
  const later = record(copy, "c");
  expect(origin.usage().impressions).toBe(2);
  expect(record(origin, "c")).toEqual(later);
});

test("are forked from the world in the path by default, which creates that one", () => {
  const worlds = stage();
  worlds.get("other").reset({ seed: "mine" });
  const fork = (prefix: string, body: object) =>
    JSON.parse(ask(worlds, "POST", `${prefix}/_sim/worlds`, body).body);
  expect(fork("/@other", { name: "a" }).seed).toBe("mine");
  expect(fork("", { name: "b" }).impressions).toBe(2);
  expect(fork("/@fresh", { name: "c" }).impressions).toBe(0);
  // If the body names another origin, the world in the path isn't created.
  fork("/@unused", { name: "d", from: "default" });
  expect(worlds.names()).toEqual(["default", "other", "a", "b", "fresh", "c", "d"]);
});

test.each([
  [{ after: 1 }, 1],
  [{ after: 0 }, 0],
  [{}, 2],
])("a fork with %j goes on from that moment", (moment, impressions) => {
  const worlds = stage();
  expect(ask(worlds, "POST", "/_sim/worlds", { name: "then", ...moment }).status).toBe(201);
  const then = worlds.get("then");
  expect([then.usage().impressions, then.journal.total]).toEqual([impressions, 0]);
  record(then, "later");
  expect(worlds.get("default").usage().impressions).toBe(2);
});

test("can be deleted, also through their own path, and are created anew on their next use", () => {
  const worlds = stage();
  for (const path of ["/_sim/worlds/default", "/@other/_sim/worlds/other"]) {
    expect(ask(worlds, "DELETE", path)).toMatchObject({ status: 204, body: "" });
    expect(ask(worlds, "DELETE", path).status).toBe(404);
  }
  expect(worlds.names()).toEqual([]);
  const { usage, faults, clock } = worlds.get("default");
  expect(usage()).toEqual({ publishersTouched: 0, impressions: 0 });
  expect([faults.list(), clock.now()]).toEqual([[], Date.parse(START)]);
});
