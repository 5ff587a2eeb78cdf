/** Parses any input into a playable scenario. */

import { renamingField } from "../../base/input.ts";
import { shortened } from "../../base/text.ts";
import { resolveOptions, type SimulatorOptions } from "../../simulator/simulator-options.ts";
import { countRequests } from "./count-requests.ts";
import { createScope } from "./references.ts";
import { scenarioNode } from "./schema.ts";
import type { Scenario } from "./types.ts";
import { walk } from "./walk.ts";

/** The most steps of what `record` and `replay` make. */
export const MAX_RECORDED_STEPS = 100_000;

export interface ParseScenarioOptions {
  /** The most requests that the scenario may send. @default 20000000 */
  readonly maxRequests?: number | undefined;
  /** The most steps that it may have, including those of repeat and parallel. @default 10000 */
  readonly maxSteps?: number | undefined;
}

/**
 * Returns a checked, frozen copy. What depends on the world's state, such as a rule that isn't there to heal, is rejected
 * when it is played.
 *
 * @throws InputError whose field is the path to the mistake, such as `steps.3.impression.ad_id`.
 */
export function parseScenario(input: unknown, options: ParseScenarioOptions = {}): Scenario {
  const { maxRequests = 20_000_000, maxSteps = 10_000 } = options;
  const { seed, start, publishers, profile } = Object(input) as SimulatorOptions;
  const { settings } = resolveOptions({ seed, start, publishers, profile });
  const scope = createScope(settings.publishers, maxSteps);
  const scenario = renamingField(
    (field) => shortened(field, 100) || "scenario",
    () => walk(input, scenarioNode, scope),
  ) as Scenario;
  countRequests(scenario, maxRequests);
  return scenario;
}

/** parseScenario for TypeScript: the compiler checks the shape, this function the rest, such as references. */
export const defineScenario: (scenario: Scenario, options?: ParseScenarioOptions) => Scenario =
  parseScenario;
