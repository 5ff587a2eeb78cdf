/** Invalid traffic is refused with the field's name before anything is played: the player doesn't check again. */

import { expect, test } from "vitest";
import { scenarioJsonSchema } from "../../../src/play/scenario/json-schema.ts";
import { of, refusalOf } from "./everything.ts";

const steady = { for: "10m", arrivals: { kind: "constant", rate: "1/s" } };
const day = new Array(24).fill(1);

const fieldRefused = (traffic: object): string | undefined =>
  refusalOf(of({ traffic }))?.field.replace("steps.0.traffic.", "");

test.each<[object, string]>([
  [{ kind: "constant", rate: "8000" }, "arrivals.rate"],
  [{ kind: "poisson", rate: "0/s" }, "arrivals.rate"],
  [{ kind: "ramp", from: "x", to: "1/s" }, "arrivals.from"],
  [{ kind: "ramp", from: "0/s", to: "0/s" }, "arrivals"],
  [{ kind: "ramp", from: "0/s", to: "1/s", spacing: "odd" }, "arrivals.spacing"],
  [{ kind: "daily", mean: "8000/m", hours: [1, 2] }, "arrivals.hours"],
  [{ kind: "daily", mean: "8000/m", hours: day.with(0, "1") }, "arrivals.hours.0"],
  [{ kind: "daily", mean: "8000/m", hours: new Array(24).fill(0) }, "arrivals.hours"],
  [{ kind: "daily", mean: "1/m", hours: day.with(23, -1) }, "arrivals.hours.23"],
  [{ kind: "daily", mean: "1/m", hours: day.with(23, 1e10) }, "arrivals.hours.23"],
  [{ kind: "burst", count: 0 }, "arrivals.count"],
  [{ kind: "burst", count: 1.5 }, "arrivals.count"],
  [{ kind: "burst", count: 1, every: 0 }, "arrivals.every"],
  [{ kind: "burst", count: 1, every: "1s", within: "2s" }, "arrivals"],
  [{ kind: "trace", atMs: [] }, "arrivals.atMs"],
  [{ kind: "trace", atMs: [1, 3, 2] }, "arrivals.atMs"],
  [{ kind: "trace", atMs: [-1] }, "arrivals.atMs.0"],
  [{ kind: "trace", atMs: ["1"] }, "arrivals.atMs.0"],
])("arrivals %o are refused", (arrivals, field) => {
  expect(fieldRefused({ ...steady, arrivals })).toBe(field);
});

test.each<[object, string]>([
  [{ mix: {} }, "mix"],
  [{ mix: { stats: -1 } }, "mix.stats"],
  [{ mix: { stats: 1e10 } }, "mix.stats"],
  [{ repeatedSessions: 1.1 }, "repeatedSessions"],
  [{ clicks: { rate: -0.1 } }, "clicks.rate"],
  [{ clicks: { rate: 0.1, after: "soon" } }, "clicks.after"],
  [{ surfaces: 0 }, "surfaces"],
  [{ surfaces: 1.5 }, "surfaces"],
  [{ timeout: "soon" }, "timeout"],
  [{ publishers: [] }, "publishers"],
  [{ for: "0s" }, "for"],
  [{ for: "soon" }, "for"],
  [{ for: -1 }, "for"],
])("traffic with %o is refused", (change, field) => {
  expect(fieldRefused({ ...steady, ...change })).toBe(field);
});

test("weights up to the largest are accepted, and the schema has the same maximum", () => {
  const mix = { impression: 1, stats: 1_000_000_000 };
  expect(fieldRefused({ ...steady, mix })).toBeUndefined();
  expect(JSON.stringify(scenarioJsonSchema)).toContain('"maximum":1000000000');
});
