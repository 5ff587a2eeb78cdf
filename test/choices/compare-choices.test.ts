/** What compareChoices says, compared with real simulators, and of a few requests whose answers are known. */

import fc from "fast-check";
import { expect, test, vi } from "vitest";
import {
  type AssumptionKey,
  catalogue,
  createSimulator,
  InputError,
  type Simulator,
} from "../../src/index.ts";
import { buildRequest } from "../../src/spec/build-request.ts";
import type { ApiRequest, ApiResponse } from "../../src/spec/messages.ts";
import {
  type AnswerGroup,
  arbitraryAssumptions,
  type CompareChoicesOptions,
  compareChoices,
} from "../../src/testing.ts";
import { checkProperty } from "../properties/check-property.ts";
import { impressionIdIn } from "../sender.ts";
import { anyAsking, playAgain, playIn } from "./same-play.ts";

const name = "every choice's answer is that of a simulator that was created with it";
const file = "test/choices/compare-choices.test.ts";

test(name, { timeout: 600_000 }, () => {
  // Each attempt to shrink plays some hundred worlds.
  const anyPlay = fc.limitShrink(fc.gen(), 20);
  const property = fc.property(arbitraryAssumptions(), anyPlay, (assumptions, generate) => {
    const original = playIn({ publishers: 3, assumptions }, generate);
    const { sim } = original;
    const before = stateOf(sim);
    const asking = anyAsking(original, generate);
    const { groups, impossible, note } = compareChoices(sim, asking.request(original));
    expect(note).toBeUndefined();
    expect(stateOf(sim)).toBe(before);
    const inForce = plain(sim.fork().handle(asking.request(original)));
    expect(groups[0] && plain(groups[0].answer)).toEqual(inForce);
    const found = new Map<string, unknown>();
    for (const { answer, choices } of groups)
      for (const { key, choice } of choices) found.set(`${key}=${choice}`, plain(answer));
    for (const { key, choice } of impossible) found.set(`${key}=${choice}`, "impossible");

    const expected = new Map<string, unknown>();
    for (const [key, { choices }] of Object.entries(catalogue))
      for (const choice of Object.keys(choices))
        if (assumptions[key as AssumptionKey] !== choice)
          expected.set(`${key}=${choice}`, answerUnder(key, choice));
    expect(found).toEqual(expected);

    function answerUnder(key: string, choice: string): unknown {
      if (key === "ids.format") return "impossible";
      try {
        const settings = { publishers: 3, assumptions: { ...assumptions, [key]: choice } };
        const other = playAgain(original, settings);
        return plain(other.sim.handle(asking.request(other)));
      } catch (error) {
        if (error instanceof InputError) return "impossible";
        throw error;
      }
    }
  });
  checkProperty({ test: name, file, runs: 40, leastRuns: 4 }, property);
});

function stateOf({ journal, clock, faults, usage }: Simulator): string {
  return JSON.stringify([journal.total, clock.now(), faults.list(), usage()]);
}

function plain({ status, headers, body }: Pick<ApiResponse, "status" | "headers" | "body">) {
  return { status, headers, body };
}

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

test("a click names the id that its client was told there, in any encoding", () => {
  const sim = createSimulator({ assumptions: { "ids.format": "url-unsafe" } });
  sim.handle(impression(sim));
  sim.handle(impression(sim, "s", 1));
  const impression_id = impressionIdIn(sim.handle(impression(sim, "other")));
  sim.handle(click(sim, impression_id));
  const json = click(sim, impression_id);
  const others = (["form", "query"] as const).map((encoding) =>
    buildRequest("click", { impression_id }, { key: sim.publishers.at(0).apiKey, encoding }),
  );
  const escaped = { ...json, body: `${json.body}`.replaceAll("/", "\\/") };
  // The second impression is a duplicate there, so the third one has the second id.
  for (const request of [json, escaped, ...others]) {
    const { answer } = groupUnder(sim, request, "dedup.key=session");
    expect(answer).toMatchObject({ status: 200, effect: "suppressed" });
  }
});

const usual = createSimulator();

test("the first group are the choices that change nothing; ids.format isn't compared", () => {
  const sim = createSimulator();
  const { id: publisher_id, apiKey: key } = sim.publishers.signUp({ surfaces: ["One"] });
  // An empty list is equal to another one.
  const request = buildRequest("payouts", { publisher_id }, { key });
  const { groups, impossible } = compareChoices(sim, request);
  expect(groups[0]).toMatchObject({ answer: { status: 200 }, differences: [] });
  expect(groups[0]?.choices).toContainEqual({ key: "errors.body", choice: "flat" });
  const why = expect.stringContaining("differ in their ids alone");
  expect(new Set(impossible.map(({ key }) => key))).toEqual(new Set(["ids.format"]));
  expect(impossible[0]).toMatchObject({ why });
});

test("fault functions are asked once, and nothing is recorded", () => {
  const rule = vi.fn(() => undefined);
  const sim = createSimulator({ faults: [rule] });
  sim.handle(impression(sim));
  rule.mockClear();
  compareChoices(sim, impression(sim), { keys: ["dedup.repeat", "limit.algorithm"] });
  expect(rule).toHaveBeenCalledTimes(1);
  expect(sim.journal.total).toBe(1);
});

test("what was assumed by hand is assumed there too, but for the varied assumption", () => {
  const sim = createSimulator();
  sim.assume({ "dedup.repeat": "count" });
  sim.handle(impression(sim));
  sim.assume({ "dedup.repeat": "conflict", "errors.body": "flat" });
  // Nothing was remembered while duplicates counted, so this one isn't refused.
  expect(sim.fork().handle(impression(sim)).status).toBe(200);
  const { answer } = groupUnder(sim, impression(sim), "dedup.repeat=original-uncredited");
  expect(answer).toMatchObject({ status: 200, creditInr: 0, effect: "suppressed" });
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
  ["dropped entries", () => sent(createSimulator({ journalEntries: 20 })), /after entry \d+/],
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

test.each([
  ["without a journal", createSimulator({ journalEntries: 0 }), {}, "the journal is off"],
  ["of something else", { handle: () => 0 } as never, {}, "must be a simulator made by"],
  ["of an unknown key", usual, { keys: ["dedup.repeet"] }, 'Did you mean "dedup.repeat"?'],
  ["of an unknown option", usual, { key: "dedup.repeat" }, "key is not known here"],
] as const)("a comparison %s is refused", (_, sim, options, says) => {
  const call = (): unknown => compareChoices(sim, statsOf(usual), options as CompareChoicesOptions);
  expect(call).toThrow(InputError);
  expect(call).toThrow(says);
});
