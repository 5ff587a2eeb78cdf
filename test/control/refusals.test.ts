/** How the control API words a refusal: the right field, and the right reason. */

import { expect, test } from "vitest";
import type { ApiResponse } from "../../src/spec/messages.ts";
import { JSON_BODY, worldsOf } from "../worlds.ts";

const worlds = worldsOf({ publishers: 3 });

function ask(method: string, path: string, body?: string): ApiResponse {
  return worlds.handle({
    method,
    path: `/_sim/${path}`,
    headers: JSON_BODY,
    ...(body && { body }),
  });
}

test.each([
  ["POST", "clock/advance", "{}", "by", "by is required."],
  ["POST", "clock/advance", '{"by":true}', "by", "by must be whole milliseconds"],
  ["POST", "clock/advance", '{"by":"-1s"}', "by", 'not "-1s"'],
  ["PUT", "snapshot", "{}", "format", "format is required."],
  ["POST", "reset", '{"seed":7}', "seed", "seed must be a string, not 7."],
  ["POST", "publishers", '{"surfaces":[{}]}', "surfaces.0.name", "is required"],
  ["POST", "publishers", '{"surfaces":[5]}', "surfaces.0", "must be a name, or {name, status?"],
  [
    "POST",
    "publishers",
    '{"surfaces":["x",{"name":"a","cpmRange":[5,1]}]}',
    "surfaces.1.cpmRange",
    "must have its lower bound first",
  ],
  [
    "POST",
    "publishers",
    '{"surfaces":[{"name":"a","cpmRange":[1e-9,1]}]}',
    "surfaces.0.cpmRange.0",
    "must be whole paise",
  ],
  [
    "POST",
    "publishers",
    '{"surfaces":[{"name":"a","colour":1}]}',
    "surfaces.0.colour",
    "not known",
  ],
  ["PATCH", "assumptions", '{"constructor":"x"}', "constructor", "is not an assumption"],
  ["PATCH", "assumptions", "{}", "body", "must name at least one choice"],
  ["PATCH", "assumptions", '{"dedup.repat":"x"}', "dedup.repat", 'Did you mean "dedup.repeat"'],
  ["PATCH", "assumptions", '{"dedup.repeat":"x"}', "dedup.repeat", "dedup.repeat has no"],
  ["PATCH", "assumptions", '{"limit.exceeded":429}', "limit.exceeded", "must be a string, not 429"],
  ["PUT", "clock", '{"mod":"frozen"}', "mod", 'not known here. Did you mean "mode"?'],
  ["POST", "faults", '{"verdict":{"kind":"drp"}}', "verdict.kind", 'Did you mean "drop"?'],
  ["GET", "health?a1=1", undefined, "a1", "is not a query parameter here"],
])("%s %s %s is refused and the answer names %s", (method, path, body, field, reason) => {
  const response = ask(method, path, body);
  expect(response.status).toBe(400);
  const problem = JSON.parse(response.body);
  expect(problem.field).toBe(field);
  expect(problem.detail).toContain(reason);
});

test("a compressed body gets 415, and one with the coding identity is accepted", () => {
  const sent = (coding: string): number =>
    worlds.handle({
      method: "POST",
      path: "/@coded/_sim/reset",
      headers: { ...JSON_BODY, "content-encoding": coding },
      body: '{"seed":"b"}',
    }).status;
  expect(sent("gzip")).toBe(415);
  expect(worlds.get("coded").seed).toBe("adsim");
  expect(sent("identity")).toBe(200);
});
