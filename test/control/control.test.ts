/** The control API over a world in process: what each route does, and that wrong input changes nothing. */

import { describe, expect, test } from "vitest";
import { VERSION } from "../../src/base/version.ts";
import type { Worlds } from "../../src/simulator/worlds.ts";
import type { ApiResponse } from "../../src/spec/messages.ts";
import { senderOf } from "../operation-sender.ts";
import { ask as askAt, JSON_BODY, worldsOf } from "../worlds.ts";

const fresh = (): Worlds => worldsOf({ publishers: 3, wallClock: () => 0 });

const ask = (worlds: Worlds, method: string, path: string, body?: unknown): ApiResponse =>
  askAt(worlds, method, `/_sim/${path}`, body);

function read(worlds: Worlds, method: string, path: string, body?: unknown): unknown {
  const response = ask(worlds, method, path, body);
  expect(response.status, response.body).toBeLessThan(300);
  return JSON.parse(response.body);
}

describe("the control API", () => {
  test("reports its health and its world", () => {
    const worlds = fresh();
    const health = {
      status: "ok",
      version: VERSION,
      seed: "adsim",
      now: "2026-01-15T00:00:00.000Z",
      server: {
        worlds: { count: 1, max: 200, dropped: 0 },
        journals: { bytes: expect.any(Number), limitBytes: 268_435_456 },
      },
    };
    expect(read(worlds, "GET", "health")).toEqual({ ...health, world: "default" });
    const other = worlds.handle({ method: "GET", path: "/@a/_sim/health" });
    expect(JSON.parse(other.body)).toEqual({ ...health, world: "a", server: expect.anything() });
  });

  test("lists publishers as the simulator does", () => {
    const worlds = fresh();
    const { publishers } = worlds.get("default");
    expect(read(worlds, "GET", "publishers")).toEqual({ publishers: publishers.list(), total: 3 });
    expect(read(worlds, "GET", "publishers?offset=1&limit=1")).toEqual({
      publishers: [publishers.at(1)],
      total: 3,
    });
    expect(read(worlds, "GET", "publishers?offset=9")).toEqual({ publishers: [], total: 3 });
    expect(read(worlds, "GET", `publishers/${publishers.at(2).id}`)).toEqual(publishers.at(2));
  });

  test("signs up publishers, with or without a name and surfaces", () => {
    const worlds = fresh();
    const response = ask(worlds, "POST", "publishers", { name: "Söhne", surfaces: ["one", "two"] });
    expect(response.status).toBe(201);
    const { id, name, surfaces } = JSON.parse(response.body);
    expect(response.headers.location).toBe(`/_sim/publishers/${id}`);
    expect([name, surfaces.length]).toEqual(["Söhne", 2]);
    expect(ask(worlds, "GET", `publishers/${id}`).body).toBe(response.body);
    expect(ask(worlds, "POST", "publishers").status).toBe(201);
    expect(worlds.get("default").publishers.total).toBe(5);
    const inWorld = worlds.handle({ method: "POST", path: "/@w/_sim/publishers" });
    expect(inWorld.headers.location).toMatch(/^\/@w\/_sim\/publishers\//);
  });

  test("changes a surface and rotates a key", () => {
    const worlds = fresh();
    const { publishers } = worlds.get("default");
    const { id, apiKey, surfaces } = publishers.at(0);
    const path = `publishers/${id}/surfaces/${surfaces[0]?.id}`;
    expect(read(worlds, "PATCH", path, { status: "paused", cpmRange: [1, 2] })).toEqual({
      ...surfaces[0],
      status: "paused",
      cpmRange: [1, 2],
    });
    const rotated = read(worlds, "POST", `publishers/${id}/rotate-key`) as { apiKey: string };
    expect(rotated.apiKey).not.toBe(apiKey);
    expect(publishers.at(0).apiKey).toBe(rotated.apiKey);
  });

  test("moves the clock", () => {
    const worlds = fresh();
    expect(read(worlds, "GET", "clock")).toEqual({
      mode: "frozen",
      now: "2026-01-15T00:00:00.000Z",
    });
    expect(read(worlds, "POST", "clock/advance", { by: "90s" })).toMatchObject({
      now: "2026-01-15T00:01:30.000Z",
    });
    expect(read(worlds, "POST", "clock/advance", { by: 1 })).toMatchObject({
      now: "2026-01-15T00:01:30.001Z",
    });
    expect(read(worlds, "PUT", "clock", { now: "2026-02-01T00:00:00+05:30" })).toEqual({
      mode: "frozen",
      now: "2026-01-31T18:30:00.000Z",
    });
    expect(read(worlds, "PUT", "clock", { mode: "flowing" })).toMatchObject({ mode: "flowing" });
  });

  test("returns the assumptions and an OpenAPI 3.1 document", () => {
    const worlds = fresh();
    expect(read(worlds, "GET", "assumptions")).toEqual({ ...worlds.get("default").assumptions });
    expect(read(worlds, "GET", "openapi.json")).toMatchObject({
      openapi: expect.stringMatching(/^3\.1/),
    });
  });

  test("changes assumptions in one world only", () => {
    const worlds = fresh();
    const changed = read(worlds, "PATCH", "assumptions", { "errors.invalid": "422" });
    expect(changed).toEqual({ ...worlds.get("default").assumptions });
    expect(worlds.get("default").assumptions["errors.invalid"]).toBe("422");
    expect(worlds.get("other").assumptions["errors.invalid"]).toBe("400");
  });

  test("returns the journal filtered, as one document or as lines, and clears it", () => {
    const worlds = fresh();
    const { publisher, surfaces, stats } = senderOf(worlds.get("default"));
    surfaces();
    stats();
    worlds.handle({ method: "GET", path: "/nowhere" });
    const { id, apiKey } = publisher;
    const operations = (query: string): unknown[] =>
      (read(worlds, "GET", `journal${query}`) as { entries: { operation?: string }[] }).entries.map(
        (entry) => entry.operation,
      );
    expect(operations("")).toEqual(["surfaces", "stats", undefined]);
    expect(operations("?operation=stats")).toEqual(["stats"]);
    expect(operations(`?publisher=${id}&limit=1`)).toEqual(["stats"]);
    expect(operations("?status=404&format=json")).toEqual([undefined]);
    expect(ask(worlds, "GET", "journal").body).not.toContain(apiKey);
    const lines = ask(worlds, "GET", "journal?format=ndjson&status=200");
    expect(lines.headers["content-type"]).toBe("application/x-ndjson");
    const parsed = lines.body
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).operation);
    expect(parsed).toEqual(["surfaces", "stats"]);
    expect(ask(worlds, "DELETE", "journal").status).toBe(204);
    expect(operations("")).toEqual([]);
  });

  test("takes a snapshot that another world can restore", () => {
    const worlds = fresh();
    read(worlds, "POST", "publishers", { name: "Later" });
    read(worlds, "POST", "clock/advance", { by: "1d" });
    const snapshot = ask(worlds, "GET", "snapshot").body;
    const put = worlds.handle({
      method: "PUT",
      path: "/@b/_sim/snapshot",
      headers: JSON_BODY,
      body: snapshot,
    });
    expect(put.status, put.body).toBe(200);
    expect(JSON.parse(put.body)).toMatchObject({ world: "b", now: "2026-01-16T00:00:00.000Z" });
    expect(worlds.get("b").snapshot()).toEqual(JSON.parse(snapshot));
  });

  test("resets, with another seed if one is sent", () => {
    const worlds = fresh();
    const before = ask(worlds, "GET", "snapshot").body;
    read(worlds, "POST", "publishers");
    expect(read(worlds, "POST", "reset")).toMatchObject({ seed: "adsim" });
    expect(ask(worlds, "GET", "snapshot").body).toBe(before);
    expect(read(worlds, "POST", "reset", { seed: "x" })).toMatchObject({ seed: "x" });
  });
});
