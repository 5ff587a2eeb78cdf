/** Defines a scenario in TypeScript: the compiler checks its shape, this function the rest. */

import { type ParseScenarioOptions, parseScenario } from "./parse-scenario.ts";
import type { Scenario } from "./types.ts";

/**
 * Returns the scenario, checked and frozen. A reference to a step that doesn't come earlier, or to a member that its answer
 * doesn't have, is an error here.
 *
 * @throws InputError whose field is the path to the mistake, such as `steps.3.impression.ad_id`.
 */
export function defineScenario(scenario: Scenario, options?: ParseScenarioOptions): Scenario {
  return parseScenario(scenario, options);
}
