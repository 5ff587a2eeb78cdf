/** The control API over a world in process: what each route does. */

import { describe, expect, test } from "vitest";
import { VERSION } from "../../src/base/version.ts";
import { catalogue } from "../../src/spec/assumptions/catalogue.ts";
import type { ApiResponse } from "../../src/spec/messages.ts";
import { senderOf } from "../operation-sender.ts";
import { ask as askAt, worldsOf } from "../worlds.ts";
import { record, stage } from "./every-route.ts";

const START = "2026-01-15T00:00:00.000Z";

/** Worlds, their `default`, and the two ways to ask its control API. */
function fresh(worlds = worldsOf({ publishers: 3, wallClock: () => 0 })) {
  const ask = (method: string, path: string, body?: unknown): ApiResponse =>
    askAt(worlds, method, `/_sim/${path}`, body);
  const read = (method: string, path: string, body?: unknown): ReturnType<typeof JSON.parse> => {
    const response = ask(method, path, body);
    expect(response.status, response.body).toBeLessThan(300);
    return JSON.parse(response.body);
  };
  return { worlds, world: worlds.get("default"), ask, read };
}

test("reports its health and its world", () => {
  const { worlds, read } = fresh();
  const health = {
    ...{ status: "ok", version: VERSION, seed: "adsim", now: START },
    server: {
      worlds: { count: 1, max: 200, dropped: 0 },
      journals: { bytes: expect.any(Number), limitBytes: 268_435_456 },
    },
  };
  expect(read("GET", "health")).toEqual({ ...health, world: "default" });
  const other = JSON.parse(worlds.handle({ method: "GET", path: "/@a/_sim/health" }).body);
  expect(other).toEqual({ ...health, world: "a", server: expect.anything() });
});

test("lists publishers as the simulator does", () => {
  const { world, read } = fresh();
  const { publishers } = world;
  expect(read("GET", "publishers")).toEqual({ publishers: publishers.list(), total: 3 });
  const second = { publishers: [publishers.at(1)], total: 3 };
  expect(read("GET", "publishers?offset=1&limit=1")).toEqual(second);
  expect(read("GET", "publishers?offset=9&limit=1000")).toEqual({ publishers: [], total: 3 });
  expect(read("GET", `publishers/${publishers.at(2).id}`)).toEqual(publishers.at(2));
});

test("signs up publishers, with or without a name and surfaces", () => {
  const { worlds, world, ask } = fresh();
  const response = ask("POST", "publishers", { name: "Söhne", surfaces: ["one", "two"] });
  const { id, name, surfaces } = JSON.parse(response.body);
  expect([response.status, response.headers.location]).toEqual([201, `/_sim/publishers/${id}`]);
  expect([name, surfaces.length]).toEqual(["Söhne", 2]);
  expect(ask("GET", `publishers/${id}`).body).toBe(response.body);
  expect(ask("POST", "publishers").status).toBe(201);
  expect(world.publishers.total).toBe(5);
  const inWorld = worlds.handle({ method: "POST", path: "/@w/_sim/publishers" });
  expect(inWorld.headers.location).toMatch(/^\/@w\/_sim\/publishers\//);
});

test("changes a surface and rotates a key", () => {
  const { world, read } = fresh();
  const { id, apiKey, surfaces } = world.publishers.at(0);
  const path = `publishers/${id}/surfaces/${surfaces[0]?.id}`;
  const change = { status: "paused", cpmRange: [1, 2] };
  expect(read("PATCH", path, change)).toEqual({ ...surfaces[0], ...change });
  const rotated = read("POST", `publishers/${id}/rotate-key`);
  expect(rotated.apiKey).not.toBe(apiKey);
  expect(world.publishers.at(0).apiKey).toBe(rotated.apiKey);
});

test.each([
  ["GET", "clock", undefined, "frozen", START],
  ["POST", "clock/advance", { by: "90s" }, "frozen", "2026-01-15T00:01:30.000Z"],
  ["POST", "clock/advance", { by: 1 }, "frozen", "2026-01-15T00:00:00.001Z"],
  ["PUT", "clock", { now: "2026-02-01T00:00:00+05:30" }, "frozen", "2026-01-31T18:30:00.000Z"],
  ["PUT", "clock", { mode: "flowing" }, "flowing", START],
])("%s %s %j: the clock is %s at %s", (method, path, body, mode, now) => {
  expect(fresh().read(method, path, body)).toEqual({ mode, now });
});

test("shows the choices and the catalogue, and changes choices in one world only", () => {
  const { worlds, world, read } = fresh();
  expect(read("GET", "assumptions")).toEqual({ ...world.assumptions });
  expect(read("GET", "catalogue")).toEqual(JSON.parse(JSON.stringify(catalogue)));
  expect(read("GET", "openapi.json").openapi).toMatch(/^3\.1/);
  const changed = read("PATCH", "assumptions", { "errors.invalid": "422" });
  expect(changed).toEqual({ ...world.assumptions });
  expect(world.assumptions["errors.invalid"]).toBe("422");
  expect(worlds.get("other").assumptions["errors.invalid"]).toBe("400");
});

test("returns the journal filtered, as one document or as lines, and clears it", () => {
  const { worlds, world, ask, read } = fresh();
  const { publisher, surfaces, stats } = senderOf(world);
  surfaces();
  stats();
  worlds.handle({ method: "GET", path: "/nowhere" });
  const operations = (query: string): unknown[] =>
    read("GET", `journal${query}`).entries.map((entry: { operation?: string }) => entry.operation);
  expect(operations("")).toEqual(["surfaces", "stats", undefined]);
  expect(operations("?operation=stats")).toEqual(["stats"]);
  expect(operations(`?publisher=${publisher.id}&limit=1`)).toEqual(["stats"]);
  expect(operations("?unmatched=true&format=json")).toEqual([undefined]);
  expect(operations("?unmatched=false&after=1")).toEqual(["stats"]);
  expect(ask("GET", "journal").body).not.toContain(publisher.apiKey);
  expect(ask("GET", "journal?secrets=shown").body).toContain(publisher.apiKey);
  const { headers, body } = ask("GET", "journal?format=ndjson&status=200");
  expect(headers["content-type"]).toBe("application/x-ndjson");
  const lines = body.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).operation)).toEqual(["surfaces", "stats"]);
  expect(ask("DELETE", "journal").status).toBe(204);
  expect(operations("")).toEqual([]);
});

test("takes a snapshot that another world can restore, and resets, with another seed if one is sent", () => {
  const { worlds, ask, read } = fresh();
  const { body: before } = ask("GET", "snapshot");
  read("POST", "clock/advance", { by: "1d" });
  const { body } = ask("GET", "snapshot");
  const put = askAt(worlds, "PUT", "/@b/_sim/snapshot", JSON.parse(body));
  expect(JSON.parse(put.body)).toMatchObject({ world: "b", now: "2026-01-16T00:00:00.000Z" });
  expect(worlds.get("b").snapshot()).toEqual(JSON.parse(body));
  expect(read("POST", "reset")).toMatchObject({ seed: "adsim" });
  expect(ask("GET", "snapshot").body).toBe(before);
  expect(read("POST", "reset", { seed: "x" })).toMatchObject({ seed: "x" });
});

describe("fault rules", () => {
  const verdict = { kind: "respond", status: 503 };

  test("are added after the existing ones, found where Location says, and count what they see", () => {
    const { world, ask, read } = fresh(stage());
    const sent = { id: "odd", match: { operation: "impression", every: 2 }, verdict };
    const { status, headers, body } = ask("POST", "faults", sent);
    expect([status, headers.location]).toEqual([201, "/_sim/faults/odd"]);
    expect(JSON.parse(body)).toEqual({ ...sent, seen: 0, fired: 0 });
    expect(read("GET", "faults").faults).toMatchObject([{ id: "first" }, { ...sent, seen: 0 }]);
    const statuses = ["c", "d", "e"].map((session) => record(world, session).status);
    expect(statuses).toEqual([200, 503, 200]);
    expect(read("GET", "faults/odd")).toEqual({ ...sent, seen: 3, fired: 1 });
    const again = ask("POST", "faults", sent);
    expect([again.status, JSON.parse(again.body).field]).toEqual([409, "id"]);
  });

  test("can be removed by their id or all at once, and those that are functions too", () => {
    const { world, ask, read } = fresh(stage());
    const remove = world.faults.add(() => ({ kind: "respond", status: 500 }));
    record(world, "c");
    expect(read("GET", "faults").faults[1]).toMatchObject({ id: "rule-2", seen: 1, fired: 1 });
    expect(ask("DELETE", "faults/rule-2").status).toBe(204);
    expect([remove(), record(world, "d").status]).toEqual([false, 200]);
    expect(ask("DELETE", "faults")).toMatchObject({ status: 204, body: "" });
    expect(read("GET", "faults").faults).toEqual([]);
  });
});
