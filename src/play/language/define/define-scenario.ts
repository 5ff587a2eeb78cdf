/** A scenario in TypeScript: what it refers to is checked by its types, the rest when it is made. */

import { type ParseScenarioOptions, parseScenario } from "../parse/parse-scenario.ts";
import type { Scenario } from "../scenario.ts";
import type { Checked } from "./checked-types.ts";

/**
 * The scenario, checked and frozen. Names of steps that aren't there by then, and members that answers don't have, are
 * type errors at their place.
 *
 * @throws InputError whose field is the path to what is wrong, such as `steps.3.impression.ad_id`.
 */
export function defineScenario<const Given extends Scenario>(
  // Never `Given` itself: the branch is there for inference, so that literals stay as they are written.
  scenario: unknown extends Given ? Given : Checked<Given>,
  options?: ParseScenarioOptions,
): Scenario {
  return parseScenario(scenario, options);
}
