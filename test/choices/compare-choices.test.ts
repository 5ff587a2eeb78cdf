/** What compareChoices says of a few requests whose answers are known. */

import { describe, expect, test } from "vitest";
import {
  type AssumptionKey,
  createSimulator,
  InputError,
  type Simulator,
} from "../../src/index.ts";
import { buildRequest } from "../../src/spec/build-request.ts";
import type { ApiRequest } from "../../src/spec/messages.ts";
import { type AnswerGroup, type CompareChoicesOptions, compareChoices } from "../../src/testing.ts";
import { impressionIdIn } from "../sender.ts";

function statsOf(sim: Simulator, query: Readonly<Record<string, string>> = {}): ApiRequest {
  const { id: publisher_id, apiKey: key } = sim.publishers.at(0);
  return buildRequest("stats", { publisher_id, ...query }, { key });
}

function impression(sim: Simulator, session_id = "s", place = 0): ApiRequest {
  const { id: publisher_id, apiKey: key, surfaces } = sim.publishers.at(0);
  const surface = surfaces[place]?.id;
  return buildRequest("impression", { publisher_id, surface, ad_id: "ad", session_id }, { key });
}

function click(sim: Simulator, impression_id: string): ApiRequest {
  return buildRequest("click", { impression_id }, { key: sim.publishers.at(0).apiKey });
}

function groupUnder(sim: Simulator, request: ApiRequest, given: string): AnswerGroup {
  const [key = "", choice] = given.split("=");
  const { groups } = compareChoices(sim, request, { keys: [key as AssumptionKey] });
  const found = groups.find(({ choices }) => choices.some((one) => one.choice === choice));
  if (found === undefined) throw new Error(`${given} has no group.`);
  return found;
}

describe("a choice gets the answer of a world that had it from the beginning", () => {
  test("dedup.repeat=conflict refuses a duplicate", () => {
    const sim = createSimulator();
    sim.handle(impression(sim));
    const { answer, differences } = groupUnder(sim, impression(sim), "dedup.repeat=conflict");
    expect(answer).toMatchObject({
      ...{ status: 409, reason: "duplicate_impression", effect: "suppressed" },
      ...{ producedBy: "service", received: "whole" },
    });
    expect(answer.assumptions).toContain("dedup.repeat");
    expect(differences[0]).toBe("status: 409 instead of 200");
    expect(differences.at(-1)).toMatch(/^body: \{"type".* instead of \{"ok":true/);
  });

  test("click.repeat=count has counted an earlier second click", () => {
    const sim = createSimulator();
    const id = impressionIdIn(sim.handle(impression(sim)));
    for (let sent = 0; sent < 2; sent += 1) sim.handle(click(sim, id));
    const today = statsOf(sim, { from: "2026-01-15" });
    const { differences } = groupUnder(sim, today, "click.repeat=count");
    expect(differences[0]).toBe("body.clicks: 2 instead of 1");
    expect(differences[2]).toMatch(/^body\.surfaces\[0\]\.revenue: \S+ instead of /);
  });

  test.each(["prefixed", "url-unsafe"] as const)(
    "a click names the %s id that its client was told there",
    (format) => {
      const sim = createSimulator({ assumptions: { "ids.format": format } });
      sim.handle(impression(sim));
      sim.handle(impression(sim, "s", 1));
      const impression_id = impressionIdIn(sim.handle(impression(sim, "other")));
      const asJson = JSON.stringify({ impression_id });
      sim.handle(click(sim, impression_id));
      const { headers, ...request } = click(sim, impression_id);
      // The second impression is a duplicate there, so the third one has the second id.
      for (const [body, type] of [
        [asJson, "json"],
        [asJson.replaceAll("/", "\\/"), "json"],
        [`${new URLSearchParams({ impression_id })}`, "x-www-form-urlencoded"],
      ]) {
        const typed = { ...headers, "content-type": `application/${type}` };
        const { answer } = groupUnder(
          sim,
          { ...request, headers: typed, body },
          "dedup.key=session",
        );
        expect(answer).toMatchObject({ status: 200, effect: "suppressed" });
      }
    },
  );
});

test("the first group is the answer under the choices in force, with all choices that change nothing", () => {
  const sim = createSimulator({ assumptions: { "errors.body": "flat" } });
  const { groups, impossible, note } = compareChoices(sim, statsOf(sim));
  expect(note).toBeUndefined();
  expect(groups[0]).toMatchObject({ answer: { status: 200 }, differences: [] });
  expect(groups[0]?.choices).toContainEqual({ key: "errors.body", choice: "problem" });
  const names = groups.flatMap(({ choices }) =>
    choices.map(({ key, choice }) => `${key}=${choice}`),
  );
  expect(names).not.toContain("errors.body=flat");
  expect(new Set(names).size).toBe(names.length);
  expect(impossible).toHaveLength(3);
  for (const { key, why } of impossible)
    expect([key, why]).toEqual([
      "ids.format",
      expect.stringContaining("differ in their ids alone"),
    ]);
});

test("empty lists are equal", () => {
  const sim = createSimulator();
  const { id: publisher_id, apiKey: key } = sim.publishers.signUp({ name: "N", surfaces: ["One"] });
  const request = buildRequest("payouts", { publisher_id }, { key });
  const { groups } = compareChoices(sim, request, { keys: ["dedup.repeat"] });
  expect(groups).toMatchObject([{ answer: { status: 200 }, differences: [] }]);
});

describe("fault rules", () => {
  test("apply", () => {
    const sim = createSimulator({ faults: [{ verdict: { kind: "truncate", atByte: 5 } }] });
    const { groups } = compareChoices(sim, impression(sim), { keys: ["dedup.repeat"] });
    expect(groups).toMatchObject([{ answer: { status: 200, received: "part", body: '{"ok"' } }]);
  });

  test("that are functions are asked once, and nothing is recorded", () => {
    let calls = 0;
    const count = (): undefined => {
      calls += 1;
    };
    const sim = createSimulator({ faults: [count] });
    sim.handle(impression(sim));
    calls = 0;
    compareChoices(sim, impression(sim), { keys: ["dedup.repeat", "limit.algorithm"] });
    expect(calls).toBe(1);
    expect(sim.journal.total).toBe(1);
  });
});

test("what was changed by hand is changed there too, but for the varied assumption", () => {
  const sim = createSimulator();
  const old = statsOf(sim);
  const { id, surfaces } = sim.publishers.at(0);
  sim.publishers.rotateKey(id);
  expect(groupUnder(sim, old, "limit.algorithm=sliding-log").answer.status).toBe(401);
  sim.assume({ "dedup.repeat": "count" });
  sim.handle(impression(sim));
  sim.assume({ "dedup.repeat": "conflict", "errors.body": "flat" });
  // Nothing was remembered while duplicates counted, so this one isn't refused.
  expect(sim.fork().handle(impression(sim)).status).toBe(200);
  const { answer } = groupUnder(sim, impression(sim), "dedup.repeat=original-uncredited");
  expect(answer).toMatchObject({ status: 200, creditInr: 0, effect: "suppressed" });
  sim.publishers.setSurface(id, surfaces[0]?.id ?? "", { status: "paused" });
  expect(groupUnder(sim, impression(sim), "limit.algorithm=sliding-log").answer.status).toBe(409);
});

function sent(sim: Simulator): Simulator {
  for (let place = 0; place < 60; place += 1) sim.handle(impression(sim, `s-${place}`));
  return sim;
}

function restored(): Simulator {
  const sim = sent(createSimulator());
  sim.restore(sim.snapshot());
  return sim;
}

test.each([
  ["a fork", () => sent(createSimulator()).fork(), /the state after entry 0/],
  ["a restored state", restored, /the state after entry 60/],
  [
    "dropped entries",
    () => sent(createSimulator({ journalEntries: 20 })),
    /the state after entry \d+/,
  ],
] as const)("with %s the journal doesn't reach the beginning: a note says so", (_, make, says) => {
  const sim = make();
  const { groups, impossible, note } = compareChoices(sim, impression(sim, "s-59"));
  expect(note).toMatch(says);
  const why = expect.stringMatching(/already has some/);
  expect(impossible).toContainEqual({ key: "date.timezone", choice: "ist", why });
  expect(groups.filter(({ answer }) => answer.status === 409)).toMatchObject([
    { choices: [{ key: "dedup.repeat", choice: "conflict" }] },
  ]);
});

const usual = createSimulator();

test.each([
  ["without a journal", createSimulator({ journalEntries: 0 }), {}, "the journal is off"],
  [
    "of something else",
    { handle: () => 0 } as never,
    {},
    "sim must be a simulator made by createSimulator",
  ],
  ["of an unknown key", usual, { keys: ["dedup.repeet"] }, 'Did you mean "dedup.repeat"?'],
  ["of an unknown option", usual, { key: "dedup.repeat" }, "key is not known here"],
] as const)("a comparison %s is refused", (_, sim, options, says) => {
  const call = (): unknown => compareChoices(sim, statsOf(usual), options as CompareChoicesOptions);
  expect(call).toThrow(InputError);
  expect(call).toThrow(says);
});
