/** The scenarios that come with adsim, and how the tests play them at the foreign service. */

import { onTestFinished } from "vitest";
import { shippedNames, shippedScenario } from "../../../src/adapters/shipped-scenarios.ts";
import type { Scenario } from "../../../src/scenario.ts";
import { type PlayResult, type PlayScenarioOptions, playScenario } from "../../../src/scenario.ts";
import { type Bug, type Choices, type ForeignService, startForeignService } from "./service.ts";

export const names: readonly string[] = shippedNames().map(({ name }) => name);

export function scenarioNamed(name: string): Scenario {
  const scenario = shippedScenario(name);
  if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
  return scenario;
}

/** Closed when the test ends. */
export async function foreignService(
  wrong: readonly Bug[] = [],
  chosen: Partial<Choices> = {},
): Promise<ForeignService> {
  const service = await startForeignService(wrong, chosen);
  onTestFinished(() => service.close());
  return service;
}

export function credentialsOf({ publishers }: ForeignService): { id: string; apiKey: string }[] {
  return publishers.map(({ id, apiKey }) => ({ id, apiKey }));
}

export function playAt(
  service: ForeignService,
  scenario: Scenario,
  options: PlayScenarioOptions = {},
): Promise<PlayResult> {
  return playScenario(scenario, {
    target: service.url,
    credentials: credentialsOf(service),
    ...options,
  });
}
