/** The spec-* scenarios hold at a correct service that isn't adsim, and show what breaks the specification. */

import { describe, expect, test } from "vitest";
import { playScenarios } from "../../../src/play/play-scenario.ts";
import { reportJunit } from "../../../src/play/reports/report-junit.ts";
import { reportText } from "../../../src/play/reports/report-text.ts";
import { planAtService } from "../../../src/play/targets/service-plan.ts";
import { type PlayResult, parseScenario, type Scenario } from "../../../src/scenario.ts";
import type { Choices } from "../../../src/simulator/simulator-options.ts";
import { someOf } from "../../budget.ts";
import { credentialsOf, foreignService, names, playAt, scenarioNamed } from "./scenarios.ts";
import { type Bug, bugs, type Choices as ServiceChoices } from "./service.ts";

const MINUTE_MS = 60_000;

/** What the service chooses, if it answers a second click with the first one's id. */
const known = {
  "auth.key-scope": "publisher",
  "click.repeat": "original-uncredited",
  "dedup.repeat": "original-uncredited",
  "money.precision": "exact",
  "stats.today": "live",
} as const;

/** What `adsim play --playable` plays at a service of which these choices are known. */
function playable(knownChoices: Choices = {}): readonly Scenario[] {
  return names
    .map((name) => ({ scenario: parseScenario(scenarioNamed(name)) }))
    .map(({ scenario }) => ({ scenario, plan: planAtService(scenario, { knownChoices }) }))
    .filter(({ plan }) => plan.impossible.length === 0 && plan.totalMs < 10_000)
    .sort((one, other) => one.plan.reads - other.plan.reads)
    .map(({ scenario }) => scenario);
}

async function playAll(
  chosen: Partial<ServiceChoices> = {},
  knownChoices: Choices = {},
): Promise<readonly PlayResult[]> {
  const service = await foreignService([], chosen);
  const scenarios = playable(knownChoices);
  const played = playScenarios(scenarios, {
    target: service.url,
    credentials: credentialsOf(service),
    assumptions: knownChoices,
  });
  const results: PlayResult[] = [];
  for await (const result of played) results.push(result);
  return results;
}

function inBrief(results: readonly PlayResult[]): string[] {
  return results.map(({ scenario, result, why }) => `${scenario.name}: ${result}, ${why}`);
}

function held(scenarios: readonly Scenario[]): string[] {
  return scenarios.map(({ name }) => `${name}: passed, everything came out as expected`);
}

test("at least 20 scenarios can be played at any service, within a minute together", () => {
  const scenarios = playable();
  expect(scenarios.length).toBeGreaterThanOrEqual(20);
  const plans = scenarios.map((scenario) => planAtService(scenario, {}));
  expect(plans.reduce((sum, { totalMs }) => sum + totalMs, 0)).toBeLessThan(MINUTE_MS);
  // The last one is meant to use up the limit.
  const reads = plans.slice(0, -1).reduce((sum, plan) => sum + plan.reads, 0);
  expect(reads).toBeLessThan(60 - 1);
});

describe("a correct service holds them, whatever it chooses", () => {
  const choices: readonly Partial<ServiceChoices>[] = [
    // The first one is always played.
    {
      ...{ midnight: "utc", today: "tomorrow", repeatedImpression: "conflict" },
      ...{ repeatedClick: "counts", limitAbove100: "refused", badInput: "ignored" },
      ...{ tooMany: 503, errors: "text", share: 0.61, amounts: "paise, rounded down" },
      ...{ spacing: "indented", firstSurface: "paused", rows: "with traffic" },
      ...{ payoutIds: "by publisher" },
    },
    {},
    { midnight: "utc", today: "tomorrow" },
    { repeatedImpression: "conflict", repeatedClick: "first again", limitAbove100: "refused" },
    { repeatedImpression: "counts", repeatedClick: "counts", tooMany: 503, errors: "text" },
    { badInput: "ignored", rows: "with traffic", payoutIds: "by publisher", share: 0.61 },
    { amounts: "paise, rounded down", firstSurface: "paused", spacing: "indented" },
  ];
  test.each(someOf(choices))("%j", async (chosen) => {
    expect(inBrief(await playAll(chosen))).toEqual(held(playable()));
  });

  test("and more of them if it says what it chooses", async () => {
    const more = playable(known);
    expect(more.length).toBe(playable().length + 5);
    expect(inBrief(await playAll({ repeatedClick: "first again" }, known))).toEqual(held(more));
  });
});

describe("what breaks the specification is shown", () => {
  const shownBy: Readonly<Record<Bug, string>> = {
    "last-day-left-out": "spec-periods-add-up",
    "surface-ignored-in-totals": "spec-surface-filter",
    "surface-ignored": "spec-surface-filter",
    "limit-unchecked": "spec-payout-limit",
    "limit-default-ignored": "spec-payouts",
    "unknown-click-paid": "spec-unknown-click",
    "whole-rupees": "spec-one-day",
    "recording-spends-reporting": "spec-limits-apart",
    "no-reporting-limit": "spec-stats-limit",
    "remaining-only-on-success": "spec-remaining",
    "no-key-needed": "spec-no-key",
    "any-key-will-do": "spec-unknown-key",
    "everybody-in-totals": "spec-publishers-apart",
    "click-counts-as-impression": "spec-clicks-count",
    "ids-used-twice": "spec-click",
    "week-by-default": "spec-default-period",
    "dates-unchecked": "spec-dates",
    "ad-not-required": "spec-required",
    "paid-per-impression": "spec-surfaces",
    "amounts-as-text": "spec-payouts",
    "unknown-surface-is-all": "spec-surface-filter",
    "mistakes-are-500": "spec-no-key",
    ...{ "every-key-opens-all": "spec-other-publisher", "fractions-lost": "spec-exact-revenue" },
  };
  /** What breaks only what the service says of itself. */
  const needsKnown: readonly string[] = ["every-key-opens-all", "fractions-lost"];

  const [playableAnywhere, playableIfKnown] = [{}, known].map((said) =>
    playable(said).map((scenario) => scenario.name),
  );

  test.each(Object.entries(shownBy))("%s", async (bug, name) => {
    const said: Choices = needsKnown.includes(bug) ? known : {};
    expect(said === known ? playableIfKnown : playableAnywhere).toContain(name);
    const service = await foreignService([bug as Bug]);
    const { result } = await playAt(service, scenarioNamed(name), { assumptions: said });
    expect({ bug, result }).toEqual({ bug, result: "failed" });
  });

  test("all of them are tried", () => {
    expect(Object.keys(shownBy)).toEqual(Object.keys(bugs));
  });
});

describe("a failed expectation names the choices that it rests on", () => {
  const otherwise = [
    ["spec-today", { today: "tomorrow" }, { "stats.today": "live" }],
    ["spec-session", { repeatedImpression: "counts" }, { "dedup.repeat": "original-uncredited" }],
    ["spec-second-click", { repeatedClick: "counts" }, { "click.repeat": "original-uncredited" }],
  ] as const;
  test.each(someOf(otherwise))("%s", async (name, chosen, said) => {
    const service = await foreignService([], chosen);
    // Without its assumptions, nothing is skipped.
    const { assumptions: _, ...scenario } = scenarioNamed(name);
    const [choice] = Object.entries(said).map(([key, value]) => `${key}=${value}`);
    const failed = await playAt(service, scenario);
    expect(failed.result).toBe("failed");
    expect(restsOf(failed).every((rests) => rests.includes(choice ?? ""))).toBe(true);
    // What is known isn't named.
    const known = await playAt(service, scenarioNamed(name), { assumptions: said });
    expect(known.result).toBe("failed");
    expect(restsOf(known).flat()).not.toContain(choice);
  });

  test("in the report, in JSON and in JUnit", async () => {
    const scenario: Scenario = {
      name: "limits",
      about: "Expects that adsim's limit is everybody's.",
      steps: [{ payouts: { limit: 500 }, expect: { status: 400 } }],
    };
    const result = await playAt(await foreignService(), scenario);
    expect(restsOf(result)).toEqual([expect.arrayContaining(["payout.limit-over-max=reject"])]);
    expect(JSON.stringify(result)).toContain("payout.limit-over-max=reject");
    for (const report of [reportText(result), reportJunit(result)])
      expect(report).toMatch(/rests on .*: say what the service chose with --assume/);
  });
});

function restsOf({ steps }: PlayResult): (readonly string[])[] {
  return steps.flatMap(({ checks }) =>
    checks.filter(({ result }) => result === "failed").map(({ restsOn = [] }) => restsOn),
  );
}
