/** The spec-* scenarios hold at a correct service that isn't adsim, and show what breaks the specification. */

import { describe, expect, test, vi } from "vitest";
import type { Scenario } from "../../../src/scenario.ts";
import { someOf } from "../../budget.ts";
import { bugs, hidden, type Plant } from "./bugs.ts";
import { foreignService, playAt, scenarioNamed, specNames } from "./scenarios.ts";
import type { Choices } from "./service.ts";

// Waiting takes no time here, and moves the clock.
vi.useFakeTimers({ toFake: ["Date"] });
vi.mock("node:timers/promises", async (original) => ({
  ...(await original<object>()),
  async setTimeout(ms: number) {
    vi.setSystemTime(Date.now() + ms);
  },
}));

/** What the usual service chooses, and one that takes a second click for the first. */
const said = {
  "auth.key-scope": "publisher",
  "dedup.repeat": "original-uncredited",
  "money.precision": "exact",
  "stats.today": "live",
  "click.repeat": "original-uncredited",
} as const;
const asSaid: Partial<Choices> = { repeatedClick: "first again" };

/** The results that aren't as expected. A service with choices that a scenario needs plays it too. */
async function playAll(plant: Plant, chosen: Partial<Choices>): Promise<readonly string[]> {
  const service = await foreignService(plant, chosen);
  const found: string[] = [];
  for (const name of specNames) {
    const { assumptions } = scenarioNamed(name);
    if (assumptions !== undefined && chosen !== asSaid) continue;
    const { result, why } = await playAt(service, scenarioNamed(name), {
      ...(assumptions !== undefined && { assumptions: said }),
    });
    vi.setSystemTime(Date.now() + 60_000);
    if (result !== "passed") found.push(`${name}: ${result}, ${why}`);
  }
  return found;
}

const asIs: Plant = (handle) => handle;

const choices: readonly Partial<Choices>[] = [
  // The first one is always played.
  {
    ...{ midnight: "utc", today: "tomorrow", repeatedImpression: "conflict", hint: "none" },
    ...{ repeatedClick: "counts", limitAbove100: "refused", badInput: "ignored" },
    ...{ tooMany: 503, errors: "text", share: 0.61, amounts: "paise, rounded down" },
    ...{ spacing: "indented", firstSurface: "paused", rows: "with traffic" },
    ...{ payoutIds: "by publisher" },
  },
  {},
  { midnight: "utc", today: "tomorrow", hint: "date" },
  { repeatedImpression: "conflict", repeatedClick: "first again", limitAbove100: "refused" },
  { repeatedImpression: "counts", repeatedClick: "counts", tooMany: 503, errors: "text" },
  { badInput: "ignored", rows: "with traffic", payoutIds: "by publisher", share: 0.61 },
  { amounts: "paise, rounded down", firstSurface: "paused", spacing: "indented" },
];

test.each(someOf(choices))(
  "a correct service passes them, whatever it chooses: %j",
  async (chosen) => {
    expect(await playAll(asIs, chosen)).toEqual([]);
  },
);

test("a correct service that says what it chooses passes all of them", async () => {
  expect(await playAll(asIs, asSaid)).toEqual([]);
});

const planted = Object.entries(bugs).flatMap(([name, mistakes]) =>
  Object.entries(mistakes).map(([says, plant]) => ({ name, says, plant })),
);

describe("a service's mistake is shown", () => {
  test.each(planted)("by $name: $says", async ({ name, plant }) => {
    const scenario = scenarioNamed(name);
    const { result } = await playAt(await foreignService(plant, asSaid), scenario, {
      ...(scenario.assumptions && { assumptions: said }),
    });
    expect(result).toBe("failed");
  });

  test("by every scenario, one at least", () => {
    expect(Object.keys(bugs)).toEqual(specNames);
  });
});

test.each(someOf(Object.entries(hidden)))("no scenario can show that %s", async (_, plant) => {
  expect(await playAll(plant, {})).toEqual([]);
});

test.each([true, false])(
  "a failed expectation names the choices that it rests on, none that is known: %j",
  async (isKnown) => {
    const limits: Scenario = {
      name: "limits",
      about: "Expects that adsim's limit is everybody's.",
      steps: [{ payouts: { limit: 500 }, expect: { status: 400 } }],
    };
    const assumptions = { "payout.limit-over-max": isKnown ? "reject" : undefined } as const;
    const { result, steps } = await playAt(await foreignService(), limits, { assumptions });
    expect(result).toBe("failed");
    const rests = steps.flatMap(({ checks }) => checks.flatMap(({ restsOn = [] }) => restsOn));
    expect(rests.includes("payout.limit-over-max=reject")).toBe(!isKnown);
  },
);
