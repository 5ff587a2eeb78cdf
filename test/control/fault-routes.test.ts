/** Fault rules over the control API: what each route does, and that the rules do what they say. */

import { describe, expect, test } from "vitest";
import type { Worlds } from "../../src/simulator/worlds.ts";
import type { ApiResponse } from "../../src/spec/messages.ts";
import { JSON_BODY, record, stage } from "./every-route.ts";

function ask(worlds: Worlds, method: string, path: string, body?: unknown): ApiResponse {
  return worlds.handle({
    method,
    path,
    ...(body === undefined ? {} : { headers: JSON_BODY, body: JSON.stringify(body) }),
  });
}

function rulesOf(worlds: Worlds): unknown {
  return JSON.parse(ask(worlds, "GET", "/_sim/faults").body).faults;
}

const unavailable = { kind: "respond", status: 503 };

describe("fault rules over the control API", () => {
  test("are installed behind the others, and are where Location says", () => {
    const worlds = stage();
    const sent = { id: "later", match: { operation: "impression" }, verdict: unavailable };
    const installed = ask(worlds, "POST", "/_sim/faults", sent);
    expect(installed.status).toBe(201);
    expect(installed.headers.location).toBe("/_sim/faults/later");
    expect(JSON.parse(installed.body)).toEqual({ ...sent, seen: 0, fired: 0 });
    expect(ask(worlds, "GET", "/_sim/faults/later").body).toBe(installed.body);
    expect(rulesOf(worlds)).toEqual([
      {
        id: "first",
        match: { operation: "payouts" },
        verdict: { kind: "reset" },
        seen: 0,
        fired: 0,
      },
      { ...sent, seen: 0, fired: 0 },
    ]);
  });

  test("work from the next request on, and count what they see", () => {
    const worlds = stage();
    const world = worlds.get("default");
    ask(worlds, "POST", "/_sim/faults", { id: "odd", match: { every: 2 }, verdict: unavailable });
    expect(["c", "d", "e"].map((session) => record(world, session).status)).toEqual([
      200, 503, 200,
    ]);
    expect(JSON.parse(ask(worlds, "GET", "/_sim/faults/odd").body)).toMatchObject({
      seen: 3,
      fired: 1,
    });
    expect(ask(worlds, "DELETE", "/_sim/faults/odd").status).toBe(204);
    expect(["f", "g"].map((session) => record(world, session).status)).toEqual([200, 200]);
  });

  test("belong to the world that the path names", () => {
    const worlds = stage();
    const installed = ask(worlds, "POST", "/@other/_sim/faults", { verdict: unavailable });
    expect(installed.headers.location).toBe("/@other/_sim/faults/rule-1");
    expect(record(worlds.get("other"), "s").status).toBe(503);
    expect(record(worlds.get("default"), "s").status).toBe(200);
    expect(ask(worlds, "GET", "/_sim/faults/rule-1").status).toBe(404);
  });

  test("end with their time to live: then they are no more", () => {
    const worlds = stage();
    const body = { id: "brief", verdict: unavailable, ttl: "1m" };
    expect(JSON.parse(ask(worlds, "POST", "/_sim/faults", body).body).expires).toBe(
      "2026-01-15T00:02:00.000Z",
    );
    worlds.get("default").clock.advance("1m");
    expect(record(worlds.get("default"), "c").status).toBe(200);
    expect(ask(worlds, "GET", "/_sim/faults/brief").status).toBe(404);
    worlds.get("default").faults.add({ id: "brief", verdict: { kind: "reset" }, ttl: 1 });
    worlds.get("default").clock.advance(1);
    expect(ask(worlds, "DELETE", "/_sim/faults/brief").status).toBe(404);
  });

  test("that end after the last instant never end, and can be saved", () => {
    const worlds = stage();
    const body = { id: "long", verdict: unavailable, ttl: Number.MAX_SAFE_INTEGER };
    expect(JSON.parse(ask(worlds, "POST", "/_sim/faults", body).body)).not.toHaveProperty(
      "expires",
    );
    const snapshot = ask(worlds, "GET", "/_sim/snapshot").body;
    const sent = { method: "PUT", path: "/_sim/snapshot", headers: JSON_BODY, body: snapshot };
    expect(worlds.handle(sent).status).toBe(200);
    expect(ask(worlds, "GET", "/_sim/faults/long").status).toBe(200);
  });

  test("are removed all at once", () => {
    const worlds = stage();
    ask(worlds, "POST", "/_sim/faults", { verdict: unavailable });
    expect(ask(worlds, "DELETE", "/_sim/faults")).toMatchObject({ status: 204, body: "" });
    expect(rulesOf(worlds)).toEqual([]);
    expect(ask(worlds, "DELETE", "/_sim/faults").status).toBe(204);
  });

  test("that are functions are listed by their id and counts", () => {
    const worlds = stage();
    const world = worlds.get("default");
    const remove = world.faults.add(() => ({ kind: "respond", status: 500 }));
    expect(remove.rule).toMatchObject({ id: "rule-2", seen: 0, fired: 0 });
    record(world, "c");
    expect(rulesOf(worlds)).toMatchObject([{ id: "first" }, { id: "rule-2", seen: 1, fired: 1 }]);
    expect(ask(worlds, "DELETE", "/_sim/faults/rule-2").status).toBe(204);
    expect(remove()).toBe(false);
  });
});

test.each([
  [{}, 400, "verdict"],
  [{ verdict: { kind: "explode" } }, 400, "verdict.kind"],
  [{ verdict: {} }, 400, "verdict.kind"],
  [{ verdict: [] }, 400, "verdict.kind"],
  [{ verdict: { kind: "delay" } }, 400, "verdict.delay"],
  [{ verdict: { kind: "delay", delay: [] } }, 400, "verdict.delay.from"],
  [{ verdict: { kind: "delay", delay: { from: "2s", to: "1s" } } }, 400, "verdict.delay"],
  [{ verdict: { kind: "delay", delay: "2h" } }, 400, "verdict.delay"],
  [{ verdict: { kind: "respond", status: 99 } }, 400, "verdict.status"],
  [
    { verdict: { ...unavailable, headers: { "content-length": "1" } } },
    400,
    "verdict.headers.content-length",
  ],
  [{ verdict: { ...unavailable, headers: { a: "line\r\nbreak" } } }, 400, "verdict.headers.a"],
  [{ verdict: { kind: "drip", bytesPerSecond: 0 } }, 400, "verdict.bytesPerSecond"],
  [{ verdict: { kind: "drop", as: "loudly" } }, 400, "verdict.as"],
  [{ verdict: { kind: "reset", as: "close" } }, 400, "verdict.as"],
  [{ verdict: unavailable, match: [] }, 400, "match"],
  [{ verdict: unavailable, match: { nth: 0 } }, 400, "match.nth"],
  [{ verdict: unavailable, match: { nth: [1, -1] } }, 400, "match.nth.1"],
  [{ verdict: unavailable, match: { operation: "refund" } }, 400, "match.operation"],
  [{ verdict: unavailable, match: { share: 1.5 } }, 400, "match.share"],
  [{ verdict: unavailable, match: { method: "GET" } }, 400, "match.method"],
  [{ verdict: unavailable, ttl: 0 }, 400, "ttl"],
  [{ verdict: unavailable, ttl: "soon" }, 400, "ttl"],
  [{ verdict: unavailable, id: "a b" }, 400, "id"],
  [{ verdict: unavailable, id: "first" }, 409, "id"],
])("%j is refused with %i for %s", (body, status, field) => {
  const worlds = stage();
  const before = JSON.stringify(rulesOf(worlds));
  const response = ask(worlds, "POST", "/_sim/faults", body);
  expect(response.status, response.body).toBe(status);
  expect(JSON.parse(response.body).field).toBe(field);
  expect(JSON.stringify(rulesOf(worlds))).toBe(before);
});

test("the most rules that there can be are 1,000", () => {
  const worlds = stage();
  for (let index = 1; index < 1000; index += 1) {
    worlds.get("default").faults.add({ verdict: { kind: "reset" } });
  }
  const response = ask(worlds, "POST", "/_sim/faults", { verdict: unavailable });
  expect(response.status).toBe(409);
  expect(JSON.parse(response.body)).toMatchObject({ field: "faults" });
});
