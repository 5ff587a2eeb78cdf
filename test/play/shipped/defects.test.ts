/** Every shipped scenario notices a defect in what it is about, by its own expectations. */

import { expect, test } from "vitest";
import { playInWorld, simulatorFor } from "../../../src/play/play-scenario.ts";
import type { PlayResult } from "../../../src/scenario.ts";
import { someOf } from "../../budget.ts";
import { answers, type Plant, requests, verdicts } from "../../planted/plant.ts";
import { huntedDefects, stagedDefects } from "../../planted/simulator-defects.ts";
import { shortStory, storyNames } from "./stories.ts";

const planted = Object.entries<Plant>({ ...huntedDefects, ...stagedDefects });
const storyOf = (defect: string): string => defect.split(":")[0] ?? "";

async function play(name: string, ...plants: readonly Plant[]): Promise<PlayResult> {
  const short = await shortStory(name);
  const simulator = simulatorFor(short);
  for (const plant of plants) plant(simulator);
  return await playInWorld(simulator, short);
}

test.each(planted)("%s", async (defect, plant) => {
  const { steps } = await play(storyOf(defect), plant);
  // Its own expectations must break, whatever the invariants say.
  expect(steps.filter(({ result }) => result === "failed")).not.toEqual([]);
});

test("every scenario has a defect", () => {
  expect([...new Set(planted.map(([defect]) => storyOf(defect)))].sort()).toEqual(storyNames);
});

test.each(someOf(storyNames))(
  "%s holds if what surrounds the simulator changes nothing",
  async (name) => {
    const nothing = [
      answers(() => undefined),
      requests("impression", () => ({})),
      verdicts("respond", (result) => result),
    ];
    const { result } = await play(name, ...nothing);
    expect(result).toBe("passed");
  },
);
