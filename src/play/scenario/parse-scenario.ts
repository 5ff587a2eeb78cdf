/** Parses any input into a playable scenario. */

import { InputError, isPlainObject } from "../../base/input.ts";
import { parseJson } from "../../base/parse-json.ts";
import { resolveOptions, type SimulatorOptions } from "../../simulator/simulator-options.ts";
import { countRequests } from "./count-requests.ts";
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
  if (!isPlainObject(input)) throw new InputError("scenario", "must be an object");
  const { maxRequests = 20_000_000, maxSteps = 10_000 } = options;
  const { seed, start, publishers, profile } = input as SimulatorOptions;
  const { settings } = resolveOptions({ seed, start, publishers, profile });
  const scenario = walk(input, scenarioNode, {
    path: [],
    scope: {
      names: new Map(),
      publishers: settings.publishers,
      maxSteps,
      steps: 0,
      hasAnswer: false,
    },
  }) as Scenario;
  countRequests(scenario, maxRequests);
  return scenario;
}

/** @throws InputError that says what is wrong with the JSON, or names the path to the mistake. */
export function parseScenarioText(json: string, options: ParseScenarioOptions = {}): Scenario {
  return parseScenario(readScenarioText(json), options);
}

/** The JSON value, not checked yet. @throws InputError for text that isn't JSON. */
function readScenarioText(json: string): unknown {
  return parseJson(json, (mistake) => new InputError("scenario", mistake));
}

/**
 * Defines a scenario in TypeScript: the compiler checks its shape, this function the rest, such as references.
 *
 * @throws InputError whose field is the path to the mistake, such as `steps.3.impression.ad_id`.
 */
export const defineScenario: (scenario: Scenario, options?: ParseScenarioOptions) => Scenario =
  parseScenario;
