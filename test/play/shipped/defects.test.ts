/** Every shipped scenario notices a defect in what it is about, by its own expectations. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { playInWorld, simulatorFor } from "../../../src/play/play-scenario.ts";
import type { PlayResult, Scenario } from "../../../src/scenario.ts";
import { someOf } from "../../budget.ts";
import { answers, type Plant, requests, verdicts } from "../../planted/plant.ts";
import { simulatorDefects } from "../../planted/simulator-defects.ts";
import { shortened } from "./shortened.ts";

const folder = join(import.meta.dirname, "../../../scenarios");
const scenarioNames = readdirSync(folder)
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -".ts".length));

const planted = Object.entries(simulatorDefects).flatMap(([says, { scenarios, plant }]) =>
  scenarios.map((name) => ({ name, says, plant })),
);

async function play(name: string, ...plants: readonly Plant[]): Promise<PlayResult> {
  const { scenario } = (await import(join(folder, `${name}.ts`))) as { scenario: Scenario };
  const short = shortened(scenario);
  const simulator = simulatorFor(short);
  for (const plant of plants) plant(simulator);
  return await playInWorld(simulator, short);
}

describe("a defect breaks the scenario", () => {
  test.each(planted)("$name: $says", async ({ name, plant }) => {
    const { steps } = await play(name, plant);
    // Its own expectations must break, whatever the invariants say.
    expect(steps.filter(({ result }) => result === "failed")).not.toEqual([]);
  });

  test.each(scenarioNames)("%s: at least one is planted for it", (name) => {
    expect(planted.filter((one) => one.name === name)).not.toEqual([]);
  });
});

test.each(someOf(scenarioNames))(
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
