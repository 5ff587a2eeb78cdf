/** Wrong input to the control API: the field that is named, the reason, and that nothing changes. */

import { expect, test } from "vitest";
import { askLater } from "../worlds.ts";
import { stage, stateOf } from "./every-route.ts";

const unavailable = { kind: "respond", status: 503 };
const surface = (more: object): object => ({ surfaces: ["x", { name: "a", ...more }] });
const SURFACE = "publishers/{publisher}/surfaces/{surface}";

type Refusal = readonly [
  method: string,
  path: string,
  body: object | undefined,
  status: number,
  field: string,
  reason: string,
];

const refusals: readonly Refusal[] = [
  ["GET", "", undefined, 404, "path", "It has: /_sim/"],
  ["GET", "publishers//surfaces/", undefined, 404, "path", "nothing at this path"],
  ["GET", "health?a1=1", undefined, 400, "a1", "is not known here"],
  ["GET", "publishers?limt=1", undefined, 400, "limt", 'Did you mean "limit"?'],
  ["GET", "publishers?limit=0", undefined, 400, "limit", "at least 1"],
  ["GET", "publishers?limit=1001", undefined, 400, "limit", "at most 1000"],
  ["GET", "publishers?limit=1e2", undefined, 400, "limit", "whole number"],
  ["GET", "publishers?limit=", undefined, 400, "limit", "whole number"],
  ["GET", "publishers?offset=-1", undefined, 400, "offset", "whole number"],
  ["POST", "publishers", { name: "" }, 400, "name", "name"],
  ["POST", "publishers", { surfaces: [] }, 400, "surfaces", "surfaces"],
  ["POST", "publishers", { surfaces: [{}] }, 400, "surfaces.0.name", "is required"],
  ["POST", "publishers", { surfaces: [5] }, 400, "surfaces.0", "must be a name, or {name"],
  ["POST", "publishers", surface({ cpmRange: [5, 1] }), 400, "surfaces.1.cpmRange", "lower bound"],
  ["POST", "publishers", surface({ cpmRange: [1e-9, 1] }), 400, "surfaces.1.cpmRange.0", "paise"],
  ["POST", "publishers", surface({ colour: 1 }), 400, "surfaces.1.colour", "not known"],
  ["PATCH", SURFACE, {}, 400, "body", "must change status"],
  ["PATCH", SURFACE, { status: "gone" }, 400, "status", "status"],
  ["PATCH", SURFACE, { cpmRange: [1] }, 400, "cpmRange.1", "cpmRange"],
  ["POST", "clock/advance", {}, 400, "by", "by is required."],
  ["POST", "clock/advance", { by: true }, 400, "by", "by must be whole milliseconds"],
  ["POST", "clock/advance", { by: "-1s" }, 400, "by", 'not "-1s"'],
  ["POST", "clock/advance", { by: 0.5 }, 400, "by", "by"],
  ["POST", "clock/advance", { by: "9999999d" }, 400, "by", "by"],
  ["PUT", "clock", {}, 400, "body", "must not be empty"],
  ["PUT", "clock", { mod: "frozen" }, 400, "mod", 'not known here. Did you mean "mode"?'],
  ["PUT", "clock", { mode: "slow" }, 400, "mode", "must be one of"],
  ["PUT", "clock", { now: "2026-02-30T00:00:00Z" }, 400, "now", "ISO 8601"],
  ["PUT", "clock", { now: "2026-01-14T23:59:59Z" }, 409, "now", "now"],
  ["PATCH", "assumptions", {}, 400, "body", "must not be empty"],
  ["PATCH", "assumptions", { constructor: "x" }, 400, "constructor", "is not an assumption"],
  ["PATCH", "assumptions", { "dedup.repat": "x" }, 400, "dedup.repat", "Did you mean"],
  ["PATCH", "assumptions", { "dedup.repeat": "x" }, 400, "dedup.repeat", "dedup.repeat has no"],
  ["PATCH", "assumptions", { "limit.exceeded": 429 }, 400, "limit.exceeded", "a string, not 429"],
  ["POST", "faults", { verdict: { kind: "drp" } }, 400, "verdict.kind", 'Did you mean "drop"?'],
  ["POST", "faults", { verdict: unavailable, match: { nth: [1, -1] } }, 400, "match.nth.1", ""],
  ["GET", "journal?operation=refund", undefined, 400, "operation", "must be one of"],
  ["GET", "journal?status=ok", undefined, 400, "status", "whole number"],
  ["GET", "journal?status=99", undefined, 400, "status", "100 to 599"],
  ["GET", "journal?limit=0", undefined, 400, "limit", "whole number"],
  ["GET", "journal?format=xml", undefined, 400, "format", "must be one of"],
  ["GET", "journal?unmatched=yes", undefined, 400, "unmatched", "true"],
  ["GET", "journal?from=x", undefined, 400, "from", "ISO 8601"],
  ["GET", "events?follow=maybe", undefined, 400, "follow", "true"],
  ["GET", "events?after=x", undefined, 400, "after", "whole number"],
  ["GET", "history/9", undefined, 404, "sequence", "sequence"],
  ["GET", "history/-1", undefined, 404, "sequence", "number of an entry"],
  ["GET", "history/1?publisher=nobody", undefined, 404, "publisher", "publisher"],
  ["POST", "history/99/what-if", {}, 404, "sequence", "still has"],
  ["POST", "history/0/what-if", {}, 404, "sequence", "still has"],
  [
    "POST",
    "history/1/what-if",
    { fault: { verdict: { kind: "dropp" } } },
    400,
    "fault.verdict.kind",
    "drop",
  ],
  ["POST", "history/1/what-if", { fault: null }, 400, "fault", ""],
  ["POST", "history/1/what-if", { advance: "soon" }, 400, "advance", "advance"],
  ["POST", "history/1/what-if", { advance: true }, 400, "advance", "milliseconds"],
  ["POST", "history/1/what-if", { request: { qury: "" } }, 400, "request.qury", 'mean "query"'],
  ["POST", "history/1/what-if", { request: { body: {} } }, 400, "request.body", "must be a text"],
  ["POST", "history/1/what-if", { request: { headers: { a: 1 } } }, 400, "request.headers.a", ""],
  ["POST", "history/1/what-if", { advance: "1s", request: {} }, 400, "request", "combined"],
  ["POST", "worlds", { name: "other" }, 409, "name", "is taken"],
  ["POST", "worlds", { name: "new", from: "nowhere" }, 404, "from", "existing world"],
  ["POST", "worlds", { name: "new", from: "__proto__" }, 404, "from", "existing world"],
  ["POST", "worlds", { name: "a b" }, 400, "name", "letters"],
  ["POST", "worlds", { name: "x".repeat(65) }, 400, "name", "1 to 64"],
  ["POST", "worlds", { from: "default" }, 400, "name", "is required"],
  ["POST", "worlds", { name: "new", after: 4 }, 404, "after", "after"],
  ["POST", "worlds", { name: "new", after: "1" }, 400, "after", "after"],
  ["DELETE", "worlds/new", undefined, 404, "name", "existing world"],
  ["DELETE", "faults/none", undefined, 404, "id", ""],
  ["PUT", "snapshot", {}, 400, "format", "format is required."],
  ["POST", "reset", { seed: 7 }, 400, "seed", "seed must be a string, not 7."],
  ["POST", "reset", { start: "x" }, 400, "start", "start"],
  ["POST", "scenarios/play", {}, 400, "name", "is required"],
  ["POST", "scenarios/play", { name: "lost-akc" }, 404, "name", 'mean "lost-ack"? GET /_sim/scen'],
  ["POST", "scenarios/play", { name: "lost-ack", scenario: {} }, 400, "name", "not both"],
];

test.each(refusals)(
  "%s %s %j gets %i with the field %s, and changes nothing",
  async (method, path, body, status, field, reason) => {
    const worlds = stage();
    const { id, surfaces } = worlds.get("default").publishers.at(0);
    const filled = path.replace("{publisher}", id).replace("{surface}", surfaces[0]?.id ?? "");
    const before = stateOf(worlds);
    const response = await askLater(worlds, method, `/_sim/${filled}`, body);
    expect(response.status, response.body).toBe(status);
    expect(response.headers["content-type"]).toBe("application/problem+json");
    expect(JSON.parse(response.body)).toMatchObject({ status, field });
    expect(JSON.parse(response.body).detail).toContain(reason);
    expect(stateOf(worlds)).toBe(before);
    // A refused request creates no world.
    await askLater(worlds, method, `/@fresh/_sim/${filled}`, body);
    expect(worlds.names()).toEqual(["default", "other"]);
  },
);

test("an edited snapshot is refused and changes nothing", async () => {
  const worlds = stage();
  const before = stateOf(worlds);
  const edited = { ...worlds.get("default").snapshot(), seed: "other" };
  const response = await askLater(worlds, "PUT", "/_sim/snapshot", edited);
  expect([response.status, JSON.parse(response.body).field]).toEqual([400, "digest"]);
  expect(stateOf(worlds)).toBe(before);
});
