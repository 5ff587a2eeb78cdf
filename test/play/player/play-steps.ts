/** Plays a scenario that is only these steps. */

import { expect } from "vitest";
import { playScenario } from "../../../src/play/play-scenario.ts";
import type { PlayResult, Scenario } from "../../../src/scenario.ts";

export function playSteps(
  steps: Scenario["steps"],
  others: Partial<Omit<Scenario, "steps">> = {},
): Promise<PlayResult> {
  return playScenario({ name: "test", about: "A test.", ...others, steps });
}

/** The same, and expects that it passes. */
export async function passingSteps(...given: Parameters<typeof playSteps>): Promise<PlayResult> {
  const result = await playSteps(...given);
  expect(result.result, result.why).toBe("passed");
  return result;
}

/** The result of the step at this path. */
export function resultAt(result: PlayResult, path: string): PlayResult["steps"][number] {
  const found = result.steps.find((step) => step.path === path);
  if (found === undefined) throw new Error(`There is no result at ${path}.`);
  return found;
}
