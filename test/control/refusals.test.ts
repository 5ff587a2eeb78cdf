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
  ["GET", "", undefined, 404, "path", "Below /_sim/ it has: "],
  ["GET", "health?a1=1", undefined, 400, "a1", "is not known here"],
  ["GET", "publishers?limt=1", undefined, 400, "limt", 'Did you mean "limit"?'],
  ["GET", "publishers?limit=1001", undefined, 400, "limit", "at most 1000"],
  ["GET", "publishers?offset=-1", undefined, 400, "offset", "whole number"],
  ["POST", "publishers", { surfaces: [{}] }, 400, "surfaces.0.name", "is required"],
  ["POST", "publishers", surface({ cpmRange: [1e-9, 1] }), 400, "surfaces.1.cpmRange.0", "paise"],
  ["PATCH", SURFACE, {}, 400, "body", "must change status"],
  ["PATCH", SURFACE, { cpmRange: [1] }, 400, "cpmRange.1", "cpmRange"],
  ["POST", "clock/advance", {}, 400, "by", "by is required."],
  ["POST", "clock/advance", { by: true }, 400, "by", "by must be whole milliseconds"],
  ["POST", "clock/advance", { by: "-1s" }, 400, "by", 'not "-1s"'],
  ["PUT", "clock", {}, 400, "body", "must not be empty"],
  ["PUT", "clock", { mod: "frozen" }, 400, "mod", 'not known here. Did you mean "mode"?'],
  ["PUT", "clock", { now: "2026-02-30T00:00:00Z" }, 400, "now", "ISO 8601"],
  ["PUT", "clock", { now: "2026-01-14T23:59:59Z" }, 409, "now", "now"],
  ["PATCH", "assumptions", {}, 400, "body", "must not be empty"],
  ["PATCH", "assumptions", { "dedup.repat": "x" }, 400, "dedup.repat", "Did you mean"],
  ["POST", "faults", { verdict: { kind: "drp" } }, 400, "verdict.kind", 'Did you mean "drop"?'],
  ["POST", "faults", { verdict: unavailable, match: { nth: [1, -1] } }, 400, "match.nth.1", ""],
  ["GET", "journal?operation=refund", undefined, 400, "operation", "must be one of"],
  ["GET", "journal?status=ok", undefined, 400, "status", "whole number"],
  ["GET", "journal?format=xml", undefined, 400, "format", "must be one of"],
  ["GET", "journal?unmatched=yes", undefined, 400, "unmatched", "true"],
  ["GET", "events?follow=maybe", undefined, 400, "follow", "true"],
  ["GET", "journal/0", undefined, 404, "sequence", "the journal keeps"],
  ["GET", "journal/9", undefined, 404, "sequence", "the journal keeps"],
  ["GET", "journal/1e0", undefined, 404, "sequence", "number of an entry"],
  ["GET", "history/9", undefined, 404, "sequence", "sequence"],
  ["GET", "history/-1", undefined, 404, "sequence", "number of an entry"],
  ["GET", "history/1?publisher=nobody", undefined, 404, "publisher", "publisher"],
  ["POST", "history/99/what-if", {}, 404, "sequence", "still has"],
  ["POST", "history/1/what-if", { fault: { verdict: {} } }, 400, "fault.verdict.kind", "kind"],
  ["POST", "history/1/what-if", { advance: "soon" }, 400, "advance", "advance"],
  ["POST", "history/1/what-if", { request: { body: {} } }, 400, "request.body", "must be a text"],
  ["POST", "history/1/what-if", { request: { headers: { a: 1 } } }, 400, "request.headers.a", ""],
  ["POST", "history/1/what-if", { advance: "1s", request: {} }, 400, "request", "combined"],
  ["POST", "worlds", { name: "other" }, 409, "name", "is taken"],
  ["POST", "worlds", { name: "new", from: "nowhere" }, 404, "from", "existing world"],
  ["POST", "worlds", { name: "a b" }, 400, "name", "letters"],
  ["POST", "worlds", { from: "default" }, 400, "name", "is required"],
  ["POST", "worlds", { name: "new", after: 4 }, 404, "after", "after"],
  ["DELETE", "worlds/new", undefined, 404, "name", "existing world"],
  ["DELETE", "faults/none", undefined, 404, "id", ""],
  ["PUT", "snapshot", {}, 400, "format", "format is required."],
  ["POST", "reset", { seed: 7 }, 400, "seed", "seed must be a string, not 7."],
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
