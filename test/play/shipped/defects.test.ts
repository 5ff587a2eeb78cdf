/** Every shipped scenario notices a defect in what it is about, by its own expectations. */

import { describe, expect, test } from "vitest";
import { playInWorld, simulatorFor } from "../../../src/play/play-scenario.ts";
import type { PlayResult } from "../../../src/scenario.ts";
import { isThorough, someOf } from "../../budget.ts";
import { answers, type Plant, requests, verdicts } from "../../planted/plant.ts";
import { simulatorDefects } from "../../planted/simulator-defects.ts";
import { shortStory, storyNames } from "./stories.ts";

const planted = Object.entries(simulatorDefects).flatMap(([says, { scenarios, plant }]) =>
  scenarios.map((name) => ({ name, says, plant })),
);

/** Otherwise each defect breaks its first scenario, and each scenario shows its first defect. */
const tried = planted.filter(
  (one) =>
    isThorough ||
    planted.find(({ says }) => says === one.says) === one ||
    planted.find(({ name }) => name === one.name) === one,
);

async function play(name: string, ...plants: readonly Plant[]): Promise<PlayResult> {
  const short = await shortStory(name);
  const simulator = simulatorFor(short);
  for (const plant of plants) plant(simulator);
  return await playInWorld(simulator, short);
}

describe("a defect breaks the scenario", () => {
  test.each(tried)("$name: $says", async ({ name, plant }) => {
    const { steps } = await play(name, plant);
    // Its own expectations must break, whatever the invariants say.
    expect(steps.filter(({ result }) => result === "failed")).not.toEqual([]);
  });

  test.each(storyNames)("%s: at least one is planted for it", (name) => {
    expect(planted.filter((one) => one.name === name)).not.toEqual([]);
  });
});

test.each(someOf(storyNames))(
  "%s holds if what surrounds the simulator changes nothing",
  async (name) => {
    const nothing = [
      answers(() => undefined),
      requests("impression", (values) => ({ ...values })),
      verdicts("respond", (result) => result),
    ];
    const { result } = await play(name, ...nothing);
    expect(result).toBe("passed");
  },
);
