/** Scenarios over the control API: listed, shown, and played in the world that the path names. */

import { describe, expect, test } from "vitest";
import { playScenario } from "../../src/play/play-scenario.ts";
import type { Worlds } from "../../src/simulator/worlds.ts";
import type { ApiResponse } from "../../src/spec/messages.ts";
import { askLater, JSON_BODY } from "../worlds.ts";
import { stage, stateOf } from "./every-route.ts";

const play = (worlds: Worlds, body: unknown, prefix = ""): Promise<ApiResponse> =>
  askLater(worlds, "POST", `${prefix}/_sim/scenarios/play`, body);
const get = (worlds: Worlds, path: string): Promise<ApiResponse> =>
  askLater(worlds, "GET", `/_sim/${path}`);

const short = {
  name: "short",
  about: "Two impressions.",
  seed: "its own",
  steps: [{ impression: { session_id: "s" } }, { advance: "1h" }, { impression: {} }],
  expectations: [{ audit: { total: { applied: 2 } } }],
};

describe("the scenarios that come with adsim", () => {
  test("are listed with what they are about, and each can be fetched whole", async () => {
    const worlds = stage();
    const { scenarios } = JSON.parse((await get(worlds, "scenarios")).body);
    expect(scenarios).toContainEqual({ name: "lost-ack", about: expect.stringContaining("lost") });
    for (const { name, about } of scenarios) {
      const shown = JSON.parse((await get(worlds, `scenarios/${name}`)).body);
      expect(shown).toMatchObject({ name, about, steps: expect.any(Array) });
    }
  });

  test("are answered with a command that repeats the seed, start and assumptions sent", async () => {
    const assumptions = { "limit.algorithm": "sliding-log" };
    const anew = { seed: "it's mine", start: "2026-03-01T00:00:00Z", assumptions };
    const line =
      "--seed 'it'\\''s mine' --start 2026-03-01T00:00:00Z --assume limit.algorithm=sliding-log";
    const named = await play(stage(), { name: "lost-ack", ...anew });
    expect(JSON.parse(named.body).reproduce).toBe(`npx adsim play lost-ack ${line}`);
    const whole = await play(stage(), { scenario: short, ...anew });
    expect(JSON.parse(whole.body).reproduce).toBe(`npx adsim play FILE ${line}`);
  });

  test("are played by their names, with another seed if one is given", async () => {
    const worlds = stage();
    const response = await play(worlds, { name: "lost-ack", seed: "another" });
    expect(response.status).toBe(200);
    const result = JSON.parse(response.body);
    expect(result).toMatchObject({ version: 1, result: "passed", scenario: { name: "lost-ack" } });
    expect(worlds.get("default").seed).toBe("another");
    const own = JSON.parse((await play(worlds, { name: "lost-ack" })).body);
    expect(own.digest).not.toBe(result.digest);
  });
});

describe("while a play is going on", () => {
  const long = { ...short, steps: [{ repeat: { times: 5000, steps: [{ impression: {} }] } }] };
  const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const playing = async (worlds: Worlds, prefix = ""): Promise<{ requests: number } | null> =>
    JSON.parse((await askLater(worlds, "GET", `${prefix}/_sim/scenarios/play`)).body).playing;

  test("others are answered, and see how far it has come", async () => {
    const worlds = stage();
    expect(await playing(worlds)).toBeNull();
    let isOver = false;
    const played = play(worlds, { scenario: long }).finally(() => {
      isOver = true;
    });
    const seen: number[] = [];
    while (!isOver) {
      await nextTurn();
      const now = await playing(worlds);
      if (now === null) continue;
      seen.push(now.requests);
      expect(await playing(worlds, "/@other")).toBeNull();
    }
    expect(seen.some((requests) => requests > 0 && requests < 5000)).toBe(true);
    expect(seen).toEqual(seen.toSorted((left, right) => left - right));
    expect((await played).status).toBe(200);
    expect(await playing(worlds)).toBeNull();
  });

  test("a second one in the same world gets 409", async () => {
    const worlds = stage();
    const first = play(worlds, { scenario: long });
    while ((await playing(worlds)) === null) await nextTurn();
    expect((await play(worlds, { scenario: short })).status).toBe(409);
    expect((await play(worlds, { scenario: short }, "/@other")).status).toBe(200);
    expect((await first).status).toBe(200);
  });

  test("it stops if its client leaves, and its world stays as it is then", async () => {
    const worlds = stage();
    let hasLeft = false;
    const body = JSON.stringify({ scenario: long });
    const request = { method: "POST", path: "/_sim/scenarios/play", headers: JSON_BODY, body };
    const first = worlds.begin(request, { hasLeft: () => hasLeft });
    while (((await playing(worlds))?.requests ?? 0) === 0) await nextTurn();
    hasLeft = true;
    await first;
    const { impressions } = worlds.get("default").usage();
    expect(impressions).toBeGreaterThan(0);
    expect(impressions).toBeLessThan(5000);
  });
});

describe("a scenario sent in the body", () => {
  test("is played in the world of the path, whose state it replaces, and in no other", async () => {
    const worlds = stage();
    const before = worlds.get("default").snapshot();
    const result = JSON.parse((await play(worlds, { scenario: short }, "/@other")).body);
    expect(result.result).toBe("passed");
    expect(result.digest).toBe((await playScenario(short)).digest);
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

  test("gets 200 even if its result is broken", async () => {
    const broken = { ...short, expectations: [{ audit: { total: { applied: 3 } } }] };
    const response = await play(stage(), { scenario: broken });
    expect([response.status, JSON.parse(response.body).result]).toEqual([200, "failed"]);
  });

  test("keeps its own assumptions, except those that the request overrides", async () => {
    const worlds = stage();
    const own = { ...short, assumptions: { "errors.body": "flat", "dedup.repeat": "conflict" } };
    await play(worlds, { scenario: own, assumptions: { "dedup.repeat": "count" } });
    expect(worlds.get("default").assumptions).toMatchObject({
      "errors.body": "flat",
      "dedup.repeat": "count",
    });
  });
});

test("a play of an unknown name suggests the nearest one", async () => {
  const { status, body } = await play(stage(), { name: "lost-akc" });
  expect(status).toBe(404);
  expect(JSON.parse(body)).toMatchObject({
    title: "The request names something that doesn't exist",
    detail: expect.stringContaining('Did you mean "lost-ack"? GET /_sim/scenarios lists them.'),
  });
});

describe("a refused play names the field, and changes nothing", () => {
  const step = (more: object): object => ({ ...short, steps: [...short.steps, more] });
  test.each<[string, object, number, string]>([
    ["nothing to play", {}, 400, "name"],
    ["two scenarios", { name: "lost-ack", scenario: short }, 400, "name"],
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
      "more than 200,000 requests",
      { scenario: step({ repeat: { times: 199_999, steps: [{ impression: {} }] } }) },
      422,
      "scenario",
    ],
  ])("%s", async (_, body, status, field) => {
    const worlds = stage();
    const before = stateOf(worlds);
    const response = await play(worlds, body);
    expect([response.status, response.headers["content-type"]]).toEqual([
      status,
      "application/problem+json",
    ]);
    expect(`${JSON.parse(response.body).field}.`).toMatch(new RegExp(`^${field}\\.`));
    expect(stateOf(worlds)).toBe(before);
    expect((await play(worlds, body, "/@new")).status).toBe(status);
    expect(worlds.names()).not.toContain("new");
  });

  test("a play that is too much names the command that takes more", async () => {
    const { body } = await play(stage(), {
      scenario: step({ repeat: { times: 300_000, steps: [{ impression: {} }] } }),
    });
    expect(JSON.parse(body).detail).toMatch(
      /send less traffic\. npx adsim play FILE takes more\.$/,
    );
  });

  test("a body over 1 MiB gets 413", async () => {
    const about = "x".repeat(1024 * 1024);
    const { status, body } = await play(stage(), { scenario: { ...short, about } });
    expect(status).toBe(413);
    expect(JSON.parse(body).detail).toBe("body must have at most 1048576 bytes.");
  });
});

test("a mistake that only shows while playing leaves the world where it stopped, and says so", async () => {
  const worlds = stage();
  const steps = [...short.steps, { assume: { "date.timezone": "ist" } }];
  const { status, body } = await play(worlds, { scenario: { ...short, steps } });
  expect(status).toBe(400);
  expect(JSON.parse(body)).toMatchObject({
    field: "scenario.steps.3.assume.assumptions.date.timezone",
    detail: expect.stringMatching(/The world stays as it was when step 4 stopped\.$/),
  });
  expect(worlds.get("default").usage().impressions).toBe(2);
});
