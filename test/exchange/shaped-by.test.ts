/** Which assumptions shaped an answer: in the journal, and in a header for clients that ask for it. */

import { describe, expect, test } from "vitest";
import { type ApiRequest, type Choices, createSimulator } from "../../src/index.ts";

function world(assumptions: Choices = {}, explain = true) {
  const sim = createSimulator({ start: "2026-03-01T00:00:00Z", assumptions, explain });
  const publisher = sim.publishers.at(0);
  const headers = { authorization: `Bearer ${publisher.apiKey}` };
  const send = (request: Partial<ApiRequest>) => {
    const path = "/v1/publisher/stats";
    const response = sim.handle({ method: "GET", path, headers, ...request });
    return { response, shapedBy: sim.journal.entries({ limit: 1 })[0]?.assumptions };
  };
  const get = (path: string, query: Readonly<Record<string, string>> = {}) =>
    send({ path: `/v1/publisher/${path}`, query: { publisher_id: publisher.id, ...query } });
  const record = (fields: Readonly<Record<string, unknown>> = {}) => {
    const surface = publisher.surfaces[0]?.id;
    const shown = { publisher_id: publisher.id, surface, ad_id: "ad", session_id: "s", ...fields };
    return send({ method: "POST", path: "/v1/impression", body: shown });
  };
  return { sim, send, get, record };
}

type World = ReturnType<typeof world>;

/** Whatever the parameter: a key too many. */
const invalid = [
  ...["errors.invalid", "request.values", "date.inverted-range", "payout.limit-over-max"],
  "errors.body",
];

describe("an answer names its keys", () => {
  test.each<[string, (of: World) => ReturnType<World["send"]>, readonly string[]]>([
    ["no key", ({ send }) => send({ headers: {} }), ["auth.failure", "errors.body"]],
    ["an unknown path", ({ send }) => send({ path: "/v1/nothing" }), ["errors.body"]],
    ["a limit above the most", ({ get }) => get("payouts", { limit: "101" }), invalid],
    [
      "a period that is upside down",
      ({ get }) => get("stats", { from: "2026-02-02", to: "2026-02-01" }),
      invalid,
    ],
    [
      "a surface that isn't there",
      ({ record }) => record({ surface: "srf_none" }),
      ["request.encoding", "surface.unknown", "errors.body"],
    ],
    ["an impression", ({ record }) => record(), ["request.encoding"]],
    [
      "a repeated impression",
      ({ record }) => [record(), record()][1] ?? record(),
      ["request.encoding", "dedup.repeat", "dedup.key", "dedup.window"],
    ],
    [
      "a number for a text",
      ({ record }) => record({ ad_id: 7 }),
      ["request.encoding", "request.values"],
    ],
    [
      "a parameter that the spec doesn't list",
      ({ record }) => record({ colour: "red" }),
      ["request.encoding", "request.values"],
    ],
    ["surfaces", ({ get }) => get("surfaces"), ["surface.statuses"]],
    [
      "stats",
      ({ get }) => get("stats"),
      ["date.timezone", "stats.today", "stats.surfaces", "surface.statuses"],
    ],
    [
      "payouts",
      ({ get }) => get("payouts"),
      ["date.timezone", "payout.statuses", "payout.order", "surface.statuses"],
    ],
  ])("%s", (_, ask, keys) => {
    expect(ask(world()).shapedBy).toEqual(keys);
  });

  test("over the limit: its algorithm, its status, its Retry-After and what it counts", () => {
    const { get } = world();
    for (let sent = 0; sent < 60; sent += 1) get("stats");
    expect(get("stats").shapedBy).toEqual([
      "limit.exceeded",
      "limit.algorithm",
      "limit.retry-after",
      "limit.recording-pool",
      "limit.reporting-endpoints",
      "errors.body",
    ]);
  });

  test.each<[Choices, string]>([
    [{ "response.form": "evolved" }, "response.form"],
    [{ "money.precision": "paise" }, "money.precision"],
    [{ "dedup.repeat": "count" }, "dedup.repeat"],
    [{ "auth.key-scope": "any" }, "auth.key-scope"],
  ])("those of %j only because its choice isn't the default", (choices, key) => {
    expect(world(choices).record().shapedBy).toContain(key);
    expect(world().record().shapedBy).not.toContain(key);
  });
});

test("another publisher and an unknown one get the same bytes, and the same keys", () => {
  const { sim, get } = world({ "auth.key-scope": "publisher-hidden" });
  const foreign = get("stats", { publisher_id: sim.publishers.at(1).id });
  const nonexistent = get("stats", { publisher_id: "pub_nobody" });
  expect(foreign.shapedBy).toEqual(nonexistent.shapedBy);
  expect(foreign.response.body).toBe(nonexistent.response.body);
});

describe("X-Adsim-Assumptions", () => {
  test("has the same keys as the journal", () => {
    const { response, shapedBy } = world().record();
    expect(response.headers["x-adsim-assumptions"]).toBe((shapedBy as string[]).join(", "));
  });

  test("is sent only if asked for", () => {
    const { response } = world({}, false).record();
    expect(response.headers).not.toHaveProperty("x-adsim-assumptions");
  });
});
