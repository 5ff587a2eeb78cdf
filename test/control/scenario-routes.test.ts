/** Scenarios over the control API: listed, shown, and played in the world that the path names. */

import { describe, expect, test } from "vitest";
import { playScenarioSync } from "../../src/play/player/play-in-process.ts";
import type { Worlds } from "../../src/simulator/worlds.ts";
import type { ApiResponse } from "../../src/spec/messages.ts";
import { isWork } from "../../src/spec/work.ts";
import { ask, worldsOf } from "../worlds.ts";
import { stage, stateOf } from "./every-route.ts";

const play = (worlds: Worlds, body: unknown, prefix = ""): ApiResponse =>
  ask(worlds, "POST", `${prefix}/_sim/scenarios/play`, body);
const get = (worlds: Worlds, path: string): ApiResponse =>
  worlds.handle({ method: "GET", path: `/_sim/${path}` });

const short = {
  name: "short",
  about: "Two impressions.",
  seed: "its own",
  steps: [{ impression: { session_id: "s" } }, { advance: "1h" }, { impression: {} }],
  expectations: [{ audit: { total: { applied: 2 } } }],
};

describe("the scenarios that come with adsim", () => {
  test("are listed with what they are about, and each can be fetched whole", () => {
    const worlds = stage();
    const { scenarios } = JSON.parse(get(worlds, "scenarios").body);
    expect(scenarios).toContainEqual({ name: "lost-ack", about: expect.stringContaining("lost") });
    for (const { name, about } of scenarios) {
      const shown = JSON.parse(get(worlds, `scenarios/${name}`).body);
      expect(shown).toMatchObject({ name, about, steps: expect.any(Array) });
    }
  });

  test("are answered with a command that repeats the seed, start and assumptions sent", () => {
    const assumptions = { "limit.algorithm": "sliding-log" };
    const anew = { seed: "it's mine", start: "2026-03-01T00:00:00Z", assumptions };
    const line =
      "--seed 'it'\\''s mine' --start 2026-03-01T00:00:00Z --assume limit.algorithm=sliding-log";
    const named = play(stage(), { name: "lost-ack", ...anew });
    expect(JSON.parse(named.body).reproduce).toBe(`npx adsim play lost-ack ${line}`);
    const whole = play(stage(), { scenario: short, ...anew });
    expect(JSON.parse(whole.body).reproduce).toBe(`npx adsim play FILE ${line}`);
  });

  test("are played by their names, with another seed if one is given", () => {
    const worlds = stage();
    const response = play(worlds, { name: "lost-ack", seed: "another" });
    expect(response.status).toBe(200);
    const result = JSON.parse(response.body);
    expect(result).toMatchObject({ version: 1, verdict: "held", scenario: { name: "lost-ack" } });
    expect(worlds.get("default").seed).toBe("another");
    const own = JSON.parse(play(worlds, { name: "lost-ack" }).body);
    expect(own.digest).not.toBe(result.digest);
  });
});

test("a play may make more changes than fit on the stack", () => {
  const worlds = stage();
  const steps = [{ repeat: { times: 150_000, steps: [{ advance: 1 }] } }];
  const { status } = play(worlds, { scenario: { name: "t", about: "t", steps } });
  expect(status).toBe(200);
  expect(JSON.parse(get(worlds, "clock").body).now).toBe("2026-01-15T00:02:30.000Z");
});

test("a play says how far it has come, to other requests in the same world", () => {
  const worlds = stage();
  const playing = (prefix = ""): unknown =>
    JSON.parse(worlds.handle({ method: "GET", path: `${prefix}/_sim/scenarios/play` }).body)
      .playing;
  expect(playing()).toBeNull();
  const work = worlds.begin({
    method: "POST",
    path: "/_sim/scenarios/play",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "lost-ack" }),
  });
  if (!isWork(work)) throw new Error("The play was over at once.");
  const seen: { step: number; steps: number; requests: number }[] = [];
  for (;;) {
    const { done, value } = work.next();
    if (done) break;
    value?.(() => undefined);
    const now = playing();
    if (now === null) continue;
    seen.push(now as (typeof seen)[number]);
    expect(now).toMatchObject({ name: "lost-ack" });
    worlds.get("other");
    expect(playing("/@other")).toBeNull();
  }
  const last = seen.at(-1);
  expect(last).toMatchObject({ step: last?.steps });
  expect(last?.requests).toBeGreaterThan(0);
  expect(seen.map(({ requests }) => requests)).toEqual(
    seen.map(({ requests }) => requests).sort((left, right) => left - right),
  );
  expect(playing()).toBeNull();
});

describe("a scenario sent in the body", () => {
  test("is played in the world of the path, whose state it replaces, and in no other", () => {
    const worlds = stage();
    const before = worlds.get("default").snapshot();
    const result = JSON.parse(play(worlds, { scenario: short }, "/@other").body);
    expect(result.verdict).toBe("held");
    expect(result.digest).toBe(playScenarioSync(short).digest);
    const other = worlds.get("other");
    expect([other.seed, other.usage().impressions, other.clock.mode]).toEqual([
      "its own",
      2,
      "frozen",
    ]);
    // Its requests are in that world's journal, once each.
    expect(other.journal.total).toBe(2);
    expect(worlds.get("default").snapshot()).toEqual(before);
  });

  test("gets 200 even if its verdict is broken", () => {
    const broken = { ...short, expectations: [{ audit: { total: { applied: 3 } } }] };
    const response = play(stage(), { scenario: broken });
    expect([response.status, JSON.parse(response.body).verdict]).toEqual([200, "broken"]);
  });

  test("keeps its own assumptions, except those that the request overrides", () => {
    const worlds = stage();
    const own = { ...short, assumptions: { "errors.body": "flat", "dedup.repeat": "conflict" } };
    play(worlds, { scenario: own, assumptions: { "dedup.repeat": "count" } });
    expect(worlds.get("default").assumptions).toMatchObject({
      "errors.body": "flat",
      "dedup.repeat": "count",
    });
  });
});

test("a play of an unknown name suggests the nearest one", () => {
  const { status, body } = play(stage(), { name: "lost-akc" });
  expect(status).toBe(404);
  expect(JSON.parse(body)).toMatchObject({
    title: "The request names something that doesn't exist",
    detail: expect.stringContaining('Did you mean "lost-ack"? GET /_sim/scenarios lists them.'),
  });
});

describe("a refused play names the field, and changes nothing", () => {
  const longRule = {
    fault: { verdict: { kind: "respond", status: 200, body: { x: "x".repeat(900_000) } } },
  };
  const manyReferences = Object.fromEntries(
    Array.from({ length: 50 }, (_, at) => [`m${at}`, { ref: "publishers.0.id" }]),
  );
  const manyNames = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`k${at}`, 1]));
  const manyNumbers = Array.from({ length: 3000 }, (_, at) => ({ between: [at, at] }));
  const longRequest = { method: "POST", path: "/v1/impression", body: "x".repeat(60_000) };
  const step = (more: object): object => ({ ...short, steps: [...short.steps, more] });
  test.each<[string, object, number, string]>([
    ["nothing to play", {}, 400, "name"],
    ["two scenarios", { name: "lost-ack", scenario: short }, 400, "scenario"],
    ["an unknown name", { name: "lost-ak" }, 404, "name"],
    ["a path for a name", { name: "../package" }, 404, "name"],
    ["a list", { scenario: [] }, 400, "scenario"],
    ["an empty scenario", { scenario: {} }, 400, "scenario"],
    ["an unknown step", { scenario: step({ imprint: {} }) }, 400, "scenario.steps.3"],
    [
      "a reference to nothing",
      { scenario: step({ click: { impression_id: { ref: "nobody.id" } } }) },
      400,
      "scenario.steps.3.click.impression_id",
    ],
    ["an invalid start", { scenario: short, start: "soon" }, 400, "start"],
    [
      "an unknown choice",
      { scenario: short, assumptions: { "dedup.repeat": "never" } },
      400,
      "assumptions.dedup.repeat",
    ],
    [
      "more assumptions than there are",
      {
        scenario: short,
        assumptions: Object.fromEntries(Array.from({ length: 49 }, (_, key) => [`k${key}`, "x"])),
      },
      400,
      "assumptions",
    ],
    [
      "too many requests",
      { scenario: step({ repeat: { times: 1_000_001, steps: [{ impression: {} }] } }) },
      422,
      "scenario",
    ],
    ...[
      { assume: {} },
      { signUp: {} },
      { fault: { verdict: { kind: "drop" }, ttl: "1s" } },
      { heal: "all" },
      { setSurface: { status: "active" } },
      { rotateKey: {} },
      { expect: { audit: { balanced: true } } },
      { expect: { invariant: "M1" } },
    ].map((costly): [string, object, number, string] => [
      `too many steps of the kind ${Object.keys(costly)}`,
      { scenario: step({ repeat: { times: 400_000, steps: [costly] } }) },
      422,
      "scenario",
    ]),
    [
      "too long names",
      {
        scenario: step({
          repeat: {
            times: 10,
            steps: [{ signUp: { surfaces: Array(50).fill("x".repeat(10_000)) } }],
          },
        }),
      },
      422,
      "scenario",
    ],
    [
      "too many surfaces",
      {
        scenario: step({
          repeat: { times: 3000, steps: [{ signUp: { surfaces: Array(50).fill("x") } }] },
        }),
      },
      422,
      "scenario",
    ],
    ...[
      { parallel: { times: 10_000, steps: [{ impression: {} }] } },
      { repeat: { times: 10_000, steps: [{ impression: {} }] } },
      { raw: { ...longRequest, body: manyReferences } },
      { impression: {}, expect: { text: { oneOf: Array(1000).fill({ contains: "no" }) } } },
      { impression: {}, expect: { body: { some: { oneOf: Array(50).fill(1) } } } },
    ].map((costly): [string, object, number, string] => [
      `${Object.keys(costly)} after a rule with a long body`,
      { scenario: { ...step(costly), steps: [longRule, ...short.steps, costly] } },
      422,
      "scenario",
    ]),
    [
      "a long list of rules for a long answer",
      {
        scenario: {
          ...short,
          steps: [
            { payouts: {}, as: "a" },
            { expect: { of: "a.payouts", is: { every: { oneOf: manyNumbers } } } },
          ],
        },
      },
      422,
      "scenario",
    ],
    [
      "too many names",
      { scenario: step({ fault: { verdict: { kind: "respond", status: 200, body: manyNames } } }) },
      422,
      "scenario",
    ],
    ...[
      { repeat: { times: 8000, steps: [{ raw: longRequest }] } },
      { parallel: { times: 8000, steps: [{ raw: longRequest }] } },
    ].map((costly): [string, object, number, string] => [
      `too long bodies in ${Object.keys(costly)}`,
      { scenario: step(costly) },
      422,
      "scenario",
    ]),
    [
      "traffic of too many publishers",
      {
        scenario: {
          ...step({
            traffic: {
              for: "1s",
              arrivals: { kind: "constant", rate: "1/s" },
              publishers: Array.from({ length: 4000 }, (_, ordinal) => ordinal),
            },
          }),
          publishers: 5000,
        },
      },
      422,
      "scenario",
    ],
    [
      "a mistake that only shows while playing",
      { scenario: step({ assume: { "date.timezone": "ist" } }) },
      400,
      "scenario.steps.3",
    ],
  ])("%s", (_, body, status, field) => {
    const worlds = stage();
    const before = stateOf(worlds);
    const response = play(worlds, body);
    expect([response.status, response.headers["content-type"]]).toEqual([
      status,
      "application/problem+json",
    ]);
    expect(`${JSON.parse(response.body).field}.`).toMatch(new RegExp(`^${field}\\.`));
    expect(stateOf(worlds)).toBe(before);
    expect(play(worlds, body, "/@new").status).toBe(status);
    expect(worlds.names()).not.toContain("new");
  });

  test("a play that is too much names the command that takes more", () => {
    const { body } = play(stage(), {
      scenario: step({ repeat: { times: 300_000, steps: [{ impression: {} }] } }),
    });
    expect(JSON.parse(body).detail).toMatch(
      /send less traffic\. npx adsim play FILE takes more\.$/,
    );
  });

  test("a body of 4.4 MB gets 413", () => {
    const about = "x".repeat(4_400_000);
    expect(play(stage(), { scenario: { ...short, about } }).status).toBe(413);
  });
});

test("scenarios get 409 if the code that plays them isn't loaded", () => {
  const worlds = worldsOf();
  const response = get(worlds, "scenarios");
  expect(response.status).toBe(409);
  expect(JSON.parse(response.body).detail).toContain("over HTTP");
});
