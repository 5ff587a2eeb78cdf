/** Fault rules over the control API: what each route does, and that the rules do what they say. */

import { describe, expect, test } from "vitest";
import type { Worlds } from "../../src/simulator/worlds.ts";
import { ask } from "../worlds.ts";
import { record, stage } from "./every-route.ts";

function rulesOf(worlds: Worlds): unknown {
  return JSON.parse(ask(worlds, "GET", "/_sim/faults").body).faults;
}

const unavailable = { kind: "respond", status: 503 };

describe("fault rules over the control API", () => {
  test("are added after the existing ones, and are found where Location says", () => {
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

  test("can be removed all at once", () => {
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
  [{ verdict: unavailable, match: { nth: [1, -1] } }, 400, "match.nth.1"],
  [{ verdict: unavailable, id: "first" }, 409, "id"],
])("%j is refused with %i and the field %s", (body, status, field) => {
  const worlds = stage();
  const before = JSON.stringify(rulesOf(worlds));
  const response = ask(worlds, "POST", "/_sim/faults", body);
  expect(response.status, response.body).toBe(status);
  expect(JSON.parse(response.body).field).toBe(field);
  expect(JSON.stringify(rulesOf(worlds))).toBe(before);
});
