/** Parses any input into a playable scenario. Checks size first, then shape, then whether the parts fit together. */

import { InputError, inField, isPlainObject, parseInput } from "../../base/input.ts";
import { resolveOptions } from "../../simulator/simulator-options.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import { parseThreshold } from "../measure/thresholds.ts";
import { checkReferences } from "./check-references.ts";
import { copyData } from "./copy-data.ts";
import { checkRequests } from "./count-requests.ts";
import { scenarioSchema } from "./scenario-schema.ts";
import { MAX_STEPS } from "./step-schemas.ts";
import type { Scenario } from "./types.ts";

/** Default of `maxRequests`. */
const MAX_REQUESTS = 20_000_000;
const MAX_NESTED = 8;

export interface ParseScenarioOptions {
  /** The most requests that the scenario may send. @default 20000000 */
  readonly maxRequests?: number | undefined;
}

/**
 * Returns a checked, frozen copy. What depends on the world's state, such as a rule that isn't there to heal, is rejected
 * when it is played.
 *
 * @throws InputError whose field is the path to the mistake, such as `steps.3.impression.ad_id`.
 */
export function parseScenario(input: unknown, options: ParseScenarioOptions = {}): Scenario {
  const data = copyData(input);
  if (!isPlainObject(data)) throw new InputError("scenario", "must be an object");
  checkNesting(data.steps);
  parseInput(scenarioSchema, data, "scenario");
  // The schema doesn't change its input.
  const scenario = data as unknown as Scenario;
  checkOptions(scenario);
  scenario.thresholds?.forEach((threshold, index) => {
    inField(`thresholds.${index}`, () => parseThreshold(threshold));
  });
  checkReferences(scenario);
  checkRequests(scenario, mostRequests(options));
  return scenario;
}

function mostRequests({ maxRequests = MAX_REQUESTS }: ParseScenarioOptions): number {
  if (Number.isSafeInteger(maxRequests) && maxRequests >= 0) return maxRequests;
  throw new InputError("maxRequests", "must be a whole number, 0 or more");
}

function checkOptions({ seed, start, publishers, profile, assumptions }: Scenario): void {
  if (assumptions !== undefined) resolveAssumptions(assumptions);
  resolveOptions({ seed, start, publishers, profile });
}

/** Bounds the number and nesting of steps before anything recurses. The schema reports what isn't a step. */
function checkNesting(given: unknown): void {
  let count = 0;
  function walk(list: unknown, path: string, repeats: number): void {
    if (!Array.isArray(list)) return;
    list.forEach((step: unknown, index) => {
      count += 1;
      const at = `${path}.${index}`;
      if (count > MAX_STEPS) {
        throw new InputError(at, `is one step too many: a scenario may have at most ${MAX_STEPS}`);
      }
      if (!isPlainObject(step)) return;
      const repeat = step.repeat;
      const parallel = step.parallel;
      if (isPlainObject(repeat)) {
        if (repeats >= MAX_NESTED) {
          throw new InputError(
            `${at}.repeat`,
            `is nested in ${MAX_NESTED} other repeats, which is the maximum`,
          );
        }
        walk(repeat.steps, `${at}.repeat.steps`, repeats + 1);
      }
      if (isPlainObject(parallel)) walk(parallel.steps, `${at}.parallel.steps`, repeats);
    });
  }
  walk(given, "steps", 0);
}
