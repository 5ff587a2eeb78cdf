/** Which assumptions shaped an answer: in the journal, and in a header for clients that ask for it. */

import { describe, expect, test } from "vitest";
import type { ApiResponse, Choices } from "../../src/index.ts";
import { impressionIdIn } from "../sender.ts";
import { type Stage, stageOf } from "./stage.ts";

type Ask = (of: Stage) => ApiResponse;

const show = (fields: object): Ask => {
  return ({ impression }) => impression({ session_id: "s", ...fields });
};
const ask = (what: "stats" | "surfaces" | "payouts", query: object = {}): Ask => {
  return ({ get }) => get(what, { ...query });
};
const click: Ask = ({ impression, post }) =>
  post("click", { impression_id: impressionIdIn(impression({ session_id: "s" })) });
const foreign: Ask = ({ get, sim }) => get("stats", { publisher_id: sim.publishers.at(1).id });
const times = (count: number, one: Ask): Ask => {
  return (of) => {
    for (let left = count; left > 1; left -= 1) one(of);
    return one(of);
  };
};
const onPaused = (one: Ask): Ask => {
  return (of) => {
    of.sim.publishers.setSurface(of.publisher.id, of.shown.surface, { status: "paused" });
    return one(of);
  };
};

const encoding = "request.encoding";
const dedup = "dedup.repeat, dedup.key, dedup.window";
const body = "errors.body";
/** Whatever the parameter: a key too many. */
const invalid = "errors.invalid, request.values, date.inverted-range, payout.limit-over-max";
const counting = "limit.recording-pool, limit.reporting-endpoints";
const limited = `limit.exceeded, limit.algorithm, limit.retry-after, ${counting}`;
const reading = "date.timezone, stats.today, stats.surfaces, surface.statuses";
const inactive = "surface.inactive, surface.statuses";
const uncredited = { "surface.inactive": "uncredited" } as const;
const anyKey = { "auth.key-scope": "any" } as const;

describe("X-Adsim-Assumptions and the journal list the keys that shaped", () => {
  test.each<[what: string, ask: Ask, keys: string, under?: Choices]>([
    ["an unknown path", ({ send }) => send({ method: "GET", path: "/v1" }), body],
    [
      "no key",
      ({ sim }) => sim.handle({ method: "GET", path: "/v1/publisher/stats" }),
      `auth.failure, ${body}`,
    ],
    ["a wrong limit", ask("payouts", { limit: 101 }), `${invalid}, ${body}`],
    ["a period upside down", ask("stats", { to: "2020-01-01" }), `${invalid}, ${body}`],
    ["an unknown surface", show({ surface: "x" }), `${encoding}, surface.unknown, ${body}`],
    ["a paused surface", onPaused(show({})), `${encoding}, ${inactive}, ${body}`],
    ["another publisher", foreign, `auth.key-scope, ${body}`],
    ["one over the limit", times(61, ask("stats")), `${limited}, ${body}`],
    ["an impression", show({}), encoding],
    ["a duplicate", times(2, show({})), `${encoding}, ${dedup}`],
    ["a number for a text", show({ ad_id: 7 }), `${encoding}, request.values`],
    ["an unknown parameter", show({ colour: "red" }), `${encoding}, request.values`],
    ["a click", click, `${encoding}, click.window`],
    ["a second click", times(2, click), `${encoding}, click.repeat, click.window`],
    ["stats", ask("stats"), reading],
    ["surfaces", ask("surfaces"), "surface.statuses"],
    ["payouts", ask("payouts"), "date.timezone, payout.statuses, payout.order, surface.statuses"],
    ["an uncredited one", onPaused(show({})), `${encoding}, ${inactive}`, uncredited],
  ])("%s", (_, one, keys, under) => {
    const stage = stageOf(under, { explain: true });
    expect(one(stage).headers["x-adsim-assumptions"]).toBe(keys);
    expect(stage.last()?.assumptions).toEqual(keys.split(", "));
  });

  test.each<[Choices, Ask]>([
    [{ "response.form": "evolved" }, show({})],
    [{ "money.precision": "paise" }, show({})],
    [{ "ids.format": "uuid" }, show({})],
    [{ "dedup.repeat": "count" }, show({})],
    [anyKey, show({})],
    [{ "date.inverted-range": "empty" }, ask("stats")],
    [{ "payout.limit-over-max": "clamp" }, ask("payouts")],
  ])("an answer only because its choice isn't the default: %j", (choices, one) => {
    const [chosen, usual] = [stageOf(choices), stageOf()];
    for (const stage of [chosen, usual]) one(stage);
    for (const key of Object.keys(choices)) {
      expect(chosen.last()?.assumptions).toContain(key);
      expect(usual.last()?.assumptions).not.toContain(key);
    }
  });
});

test("without explain no answer has the header", () => {
  expect(show({})(stageOf()).headers).not.toHaveProperty("x-adsim-assumptions");
});

test("another publisher and an unknown one get the same bytes, and the same keys", () => {
  const stage = stageOf({ "auth.key-scope": "publisher-hidden" });
  const told = [foreign, ask("stats", { publisher_id: "pub_nobody" })].map((one) => [
    one(stage).body,
    stage.last()?.assumptions,
  ]);
  expect(told[0]).toEqual(told[1]);
});

test("with a key for all publishers, an entry has the publisher whose key was sent", () => {
  const stage = stageOf(anyKey);
  expect(foreign(stage).status).toBe(200);
  expect(stage.last()).toMatchObject({ publisher: stage.publisher.id, operation: "stats" });
});
