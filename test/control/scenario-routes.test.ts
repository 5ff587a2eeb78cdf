/** Scenarios over the control API: listed, shown, and played in the world that the path names. */

import { describe, expect, test } from "vitest";
import { playScenario } from "../../src/play/play-scenario.ts";
import type { Worlds } from "../../src/simulator/worlds.ts";
import type { ApiResponse } from "../../src/spec/messages.ts";
import { askLater, JSON_BODY } from "../worlds.ts";
import { stage, stateOf } from "./every-route.ts";

const play = (worlds: Worlds, body: unknown, prefix = ""): Promise<ApiResponse> =>
  askLater(worlds, "POST", `${prefix}/_sim/scenarios/play`, body);

async function read(worlds: Worlds, path: string): Promise<ReturnType<typeof JSON.parse>> {
  const { status, body } = await askLater(worlds, "GET", path);
  expect(status).toBe(200);
  return JSON.parse(body);
}

const short = {
  name: "short",
  about: "Two impressions.",
  seed: "its own",
  steps: [{ impression: { session_id: "s" } }, { advance: "1h" }, { impression: {} }],
  expectations: [{ audit: { total: { applied: 2 } } }],
};

test("the scenarios that come with adsim are listed with what they are about, and each can be fetched whole", async () => {
  const worlds = stage();
  const { scenarios } = await read(worlds, "/_sim/scenarios");
  expect(scenarios).toContainEqual({ name: "lost-ack", about: expect.stringContaining("lost") });
  for (const { name, about } of scenarios) {
    const whole = await read(worlds, `/_sim/scenarios/${name}`);
    expect(whole).toMatchObject({ name, about, steps: expect.any(Array) });
  }
});

test("a play by name has its result, and a command that repeats what was sent", async () => {
  const worlds = stage();
  const assumptions = { "limit.algorithm": "sliding-log" };
  const anew = { seed: "it's mine", start: "2026-03-01T00:00:00Z", assumptions };
  const { status, body } = await play(worlds, { name: "lost-ack", ...anew });
  expect(status).toBe(200);
  const line =
    "--seed 'it'\\''s mine' --start 2026-03-01T00:00:00Z --assume limit.algorithm=sliding-log";
  expect(JSON.parse(body)).toMatchObject({
    ...{ version: 1, result: "passed", scenario: { name: "lost-ack" } },
    reproduce: `npx adsim play lost-ack ${line}`,
  });
  expect(worlds.get("default").seed).toBe("it's mine");
  const own = JSON.parse((await play(worlds, { name: "lost-ack" })).body);
  expect(own.digest).not.toBe(JSON.parse(body).digest);
  const whole = await play(stage(), { scenario: short, ...anew });
  expect(JSON.parse(whole.body).reproduce).toBe(`npx adsim play FILE ${line}`);
});

describe("a scenario sent in the body", () => {
  test("is played in the world of the path, whose state it replaces, and in no other", async () => {
    const worlds = stage();
    const before = worlds.get("default").snapshot();
    const result = JSON.parse((await play(worlds, { scenario: short }, "/@other")).body);
    expect(result).toMatchObject({ result: "passed", digest: (await playScenario(short)).digest });
    const { seed, usage, clock, journal } = worlds.get("other");
    expect([seed, usage().impressions, clock.mode]).toEqual(["its own", 2, "frozen"]);
    // Its requests are in that world's journal, once each.
    expect(journal.total).toBe(2);
    expect(worlds.get("default").snapshot()).toEqual(before);
  });
});

describe("while a play is going on", () => {
  const long = { ...short, steps: [{ repeat: { times: 5000, steps: [{ impression: {} }] } }] };
  const impressions = (worlds: Worlds): number => worlds.get("default").usage().impressions;
  async function begun(worlds: Worlds): Promise<void> {
    while (impressions(worlds) < 10) await new Promise((resolve) => setImmediate(resolve));
  }

  test("others are answered; a second one in the same world gets 409", async () => {
    const worlds = stage();
    const played = play(worlds, { scenario: long });
    await begun(worlds);
    expect((await play(worlds, { scenario: short })).status).toBe(409);
    expect((await play(worlds, { scenario: short }, "/@other")).status).toBe(200);
    expect(impressions(worlds)).toBeLessThan(5000);
    expect((await played).status).toBe(200);
    expect((await play(worlds, { scenario: short })).status).toBe(200);
  });

  test("it stops if its client leaves, and its world stays as it is then", async () => {
    const worlds = stage();
    let hasLeft = false;
    const body = JSON.stringify({ scenario: long });
    const request = { method: "POST", path: "/_sim/scenarios/play", headers: JSON_BODY, body };
    const first = worlds.begin(request, { hasLeft: () => hasLeft });
    await begun(worlds);
    hasLeft = true;
    await first;
    expect(impressions(worlds)).toBeLessThan(5000);
    expect((await play(worlds, { scenario: short })).status).toBe(200);
  });
});

describe("a refused play names the field, and changes nothing", () => {
  const step = (more: object): object => ({ ...short, steps: [...short.steps, more] });
  const many = step({ repeat: { times: 199_999, steps: [{ impression: {} }] } });
  const never = { "dedup.repeat": "never" };

  test.each<[object, number, string, string]>([
    [{ scenario: {} }, 400, "scenario.name", "is required"],
    [{ scenario: step({ imprint: {} }) }, 400, "scenario.steps.3", ""],
    [{ scenario: short, start: "soon" }, 400, "start", "ISO 8601"],
    [{ scenario: short, assumptions: never }, 400, "assumptions.dedup.repeat", "has no"],
    [{ scenario: many }, 422, "scenario", "traffic. npx adsim play FILE takes more."],
    [{ name: "../package" }, 404, "name", "comes with adsim"],
  ])("%j gets %i with the field %s", async (sent, status, field, reason) => {
    const worlds = stage();
    const before = stateOf(worlds);
    const { body, ...response } = await play(worlds, sent);
    expect(response.status, body).toBe(status);
    expect(`${JSON.parse(body).field}.`).toMatch(new RegExp(`^${field}\\.`));
    expect(JSON.parse(body).detail).toContain(reason);
    expect(stateOf(worlds)).toBe(before);
    expect((await play(worlds, sent, "/@new")).status).toBe(status);
    expect(worlds.names()).not.toContain("new");
  });
});

test("a mistake that only shows while playing leaves the world where it stopped, and says so", async () => {
  const worlds = stage();
  const steps = [...short.steps, { assume: { "date.timezone": "ist" } }];
  const { status, body } = await play(worlds, { scenario: { ...short, steps } });
  expect(status).toBe(400);
  expect(JSON.parse(body)).toMatchObject({
    field: "scenario.steps.3.assume.assumptions.date.timezone",
    detail: expect.stringMatching(/The world stays as it was when the play stopped\.$/),
  });
  expect(worlds.get("default").usage().impressions).toBe(2);
});
