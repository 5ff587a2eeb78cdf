/** Defines a scenario in TypeScript: the compiler checks its references, this function the rest. */

import { type ParseScenarioOptions, parseScenario } from "../parse/parse-scenario.ts";
import type { Scenario } from "../scenario.ts";
import type { Checked } from "./checked-types.ts";

/**
 * Returns the scenario, checked and frozen. References to steps that don't come earlier, and to members that answers don't
 * have, are type errors at the reference.
 *
 * @throws InputError whose field is the path to the mistake, such as `steps.3.impression.ad_id`.
 */
export function defineScenario<const Given extends Scenario>(
  // The first branch is never taken. It lets the compiler infer `Given` with its literal types.
  scenario: unknown extends Given ? Given : Checked<Given>,
  options?: ParseScenarioOptions,
): Scenario {
  return parseScenario(scenario, options);
}
