/** Stands in until types are merged. */
import type { Scenario } from "./scenario.ts";
export function defineScenario(scenario: Scenario): Scenario {
  return scenario;
}
