/** Worlds over the control API: listed, forked, deleted; and which requests create one. */

import { describe, expect, test } from "vitest";
import type { ApiResponse } from "../../src/spec/messages.ts";
import { ask, worldsOf } from "../worlds.ts";
import { record, stage } from "./every-route.ts";

function problemOf(response: ApiResponse): unknown {
  const { status, field } = JSON.parse(response.body);
  return { status, field };
}

const untouched = { seed: "adsim", requests: 0, publishersTouched: 0, impressions: 0 };
const START = "2026-01-15T00:00:00.000Z";

describe("worlds over the control API", () => {
  test("are listed with what they hold", () => {
    const worlds = stage();
    expect(JSON.parse(ask(worlds, "GET", "/_sim/worlds").body)).toEqual({
      worlds: [
        {
          name: "default",
          seed: "adsim",
          now: "2026-01-15T00:01:00.000Z",
          requests: 2,
          publishersTouched: 1,
          impressions: 2,
        },
        { name: "other", now: START, ...untouched },
      ],
      max: 200,
      dropped: 0,
    });
  });

  test("are not created by reading the list or the metrics", () => {
    const worlds = worldsOf({}, { maxWorlds: 7 });
    for (const path of ["/_sim/worlds", "/@a/_sim/worlds", "/@a/_sim/metrics"]) {
      expect(ask(worlds, "GET", path).status).toBe(200);
    }
    expect(ask(worlds, "GET", "/_sim/worlds").body).toBe('{"worlds":[],"max":7,"dropped":0}');
  });

  test("are not created by a request with If-Match: *", () => {
    const worlds = worldsOf({});
    const headers = { "if-match": "*" };
    const send = (method: string, path: string): ApiResponse =>
      worlds.handle({ method, path, headers });
    for (const [method, path] of [
      ["GET", "/@a/_sim/health"],
      ["POST", "/@a/_sim/reset"],
      ["GET", "/@a/_sim/events"],
    ] as const) {
      const refused = send(method, path);
      expect(problemOf(refused), path).toEqual({ status: 412, field: "world" });
      expect(refused.body).toContain(
        "Without the header If-Match: * this request would create it.",
      );
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
    expect(made.status).toBe(201);
    expect(made.headers.location).toBe("/@copy/_sim/health");
    expect(JSON.parse(made.body)).toEqual({
      name: "copy",
      seed: "adsim",
      now: "2026-01-15T00:01:00.000Z",
      // The journal isn't part of the state.
      requests: 0,
      publishersTouched: 1,
      impressions: 2,
    });
    expect(ask(worlds, "GET", made.headers.location ?? "").status).toBe(200);
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
    expect(JSON.parse(ask(worlds, "POST", "/@other/_sim/worlds", { name: "a" }).body).seed).toBe(
      "mine",
    );
    expect(JSON.parse(ask(worlds, "POST", "/_sim/worlds", { name: "b" }).body).impressions).toBe(2);
    expect(ask(worlds, "POST", "/@fresh/_sim/worlds", { name: "c" }).status).toBe(201);
    expect(worlds.names()).toEqual(["default", "other", "a", "b", "fresh", "c"]);
    // If the body names another origin, the world in the path isn't created.
    ask(worlds, "POST", "/@unused/_sim/worlds", { name: "d", from: "default" });
    expect(worlds.names()).not.toContain("unused");
  });

  test.each([
    [{ name: "other" }, 409, "name"],
    [{ name: "default" }, 409, "name"],
    [{ name: "new", from: "nowhere" }, 404, "from"],
    [{ name: "new", from: "" }, 404, "from"],
    [{ name: "new", from: "__proto__" }, 404, "from"],
    [{ name: "a b" }, 400, "name"],
    [{ name: "" }, 400, "name"],
    [{ name: "x".repeat(65) }, 400, "name"],
    [{ name: "é" }, 400, "name"],
    [{ name: 7 }, 400, "name"],
    [{ from: "default" }, 400, "name"],
    [{ name: "new", from: null }, 400, "from"],
    [{ name: "new", seed: "x" }, 400, "seed"],
  ])("%j is refused with %i and the field %s, and no world is created", (body, status, field) => {
    const worlds = stage();
    for (const path of ["/_sim/worlds", "/@fresh/_sim/worlds"]) {
      expect(problemOf(ask(worlds, "POST", path, body))).toEqual({ status, field });
    }
    expect(worlds.names()).toEqual(["default", "other"]);
  });

  test("never exceed the maximum, forks included", () => {
    const worlds = worldsOf({ publishers: 1 }, { maxWorlds: 3 });
    expect(ask(worlds, "POST", "/_sim/worlds", { name: "a" }).status).toBe(201);
    // The world that is dropped is not the one that is forked.
    expect(ask(worlds, "POST", "/@b/_sim/worlds", { name: "c" }).status).toBe(201);
    expect(worlds.names()).toEqual(["default", "b", "c"]);
    expect(ask(worlds, "POST", "/@c/_sim/worlds", { name: "d" }).status).toBe(201);
    expect(worlds.names()).toEqual(["default", "c", "d"]);
    const full = worldsOf({ publishers: 1 }, { maxWorlds: 2 });
    // The fork finds no room beside the world that its path names.
    const refused = ask(full, "POST", "/@b/_sim/worlds", { name: "c" });
    expect(problemOf(refused)).toEqual({ status: 409, field: "name" });
    expect(JSON.parse(refused.body).detail).toContain("this server already has 2 worlds");
    expect(JSON.parse(refused.body).detail).toContain("DELETE /_sim/worlds/NAME");
    expect(full.names()).toEqual([]);
  });

  test("can be deleted, and are created anew on their next use", () => {
    const worlds = stage();
    for (const name of ["default", "other"]) {
      record(worlds.get(name), "s");
      expect(ask(worlds, "DELETE", `/_sim/worlds/${name}`)).toMatchObject({
        status: 204,
        body: "",
      });
      expect(worlds.names()).not.toContain(name);
      expect(problemOf(ask(worlds, "DELETE", `/_sim/worlds/${name}`))).toEqual({
        status: 404,
        field: "name",
      });
      expect(worlds.get(name).usage()).toEqual({ publishersTouched: 0, impressions: 0 });
      expect(worlds.get(name).faults.list()).toEqual([]);
      expect(worlds.get(name).clock.now()).toBe(Date.parse(START));
    }
  });

  test("can be deleted through their own path", () => {
    const worlds = stage();
    expect(ask(worlds, "DELETE", "/@other/_sim/worlds/other").status).toBe(204);
    expect(worlds.names()).toEqual(["default"]);
  });
});

describe("a refused control request creates no world", () => {
  test.each([
    ["GET", "/@new/_sim/nothing", undefined, 404],
    ["HEAD", "/@new/_sim/reset", undefined, 405],
    ["POST", "/@new/_sim/publishers", { name: 7 }, 400],
    ["PATCH", "/@new/_sim/assumptions", { colour: "red" }, 400],
    ["DELETE", "/@new/_sim/faults/none", undefined, 404],
    ["PUT", "/@new/_sim/snapshot", {}, 400],
    ["DELETE", "/@new/_sim/worlds/new", undefined, 404],
  ])("%s %s %j", (method, path, body, status) => {
    const worlds = stage();
    expect(ask(worlds, method, path, body).status).toBe(status);
    expect(worlds.names()).toEqual(["default", "other"]);
  });
});
