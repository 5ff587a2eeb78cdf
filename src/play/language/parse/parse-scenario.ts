/** From whatever was passed in to a scenario that can be played: bounds first, then shape, then what its parts mean together. */

import { InputError, inField, isPlainObject, parseInput } from "../../../base/input.ts";
import { resolveOptions } from "../../../simulator/simulator-options.ts";
import { resolveAssumptions } from "../../../spec/assumptions/resolve.ts";
import { parseThreshold } from "../../measure/thresholds.ts";
import type { Scenario } from "../scenario.ts";
import { checkReferences } from "./check-references.ts";
import { checkWorld } from "./check-world.ts";
import { copyData } from "./copy-data.ts";
import { checkCounts } from "./count-requests.ts";
import { scenarioSchema } from "./scenario-schema.ts";
import { MAX_STEPS } from "./step-schemas.ts";

/** Requests that a scenario plans at most, unless told otherwise. */
const MAX_REQUESTS = 20_000_000;
const MAX_NESTED = 8;

/** Bounds of a scenario. */
export interface ParseScenarioOptions {
  /** How many requests it may plan. @default 20000000 */
  readonly maxRequests?: number | undefined;
  /** How much playing it may cost: a request costs 1, what takes longer more. @default nothing is too much */
  readonly maxCost?: number | undefined;
}

/**
 * A scenario that is sound: whatever could be refused on playing it is refused here. It is a frozen copy.
 *
 * @throws InputError whose field is the path to what is wrong, such as `steps.3.impression.ad_id`.
 */
export function parseScenario(input: unknown, options: ParseScenarioOptions = {}): Scenario {
  const data = copyData(input);
  if (!isPlainObject(data)) throw new InputError("scenario", "must be an object");
  checkNesting(data.steps);
  parseInput(scenarioSchema, data, "scenario");
  // The schema changes nothing of what it lets pass.
  const scenario = data as unknown as Scenario;
  checkOptions(scenario);
  scenario.thresholds?.forEach((threshold, index) => {
    inField(`thresholds.${index}`, () => parseThreshold(threshold));
  });
  checkReferences(scenario);
  checkCounts(scenario, mostRequests(options), options.maxCost);
  checkWorld(scenario);
  return scenario;
}

function mostRequests({ maxRequests = MAX_REQUESTS }: ParseScenarioOptions): number {
  if (Number.isSafeInteger(maxRequests) && maxRequests >= 0) return maxRequests;
  throw new InputError("maxRequests", "must be a whole number from 0 on");
}

/** What a simulator is made from. */
function checkOptions({ seed, start, publishers, profile, assumptions }: Scenario): void {
  if (assumptions !== undefined) resolveAssumptions(assumptions);
  resolveOptions({ seed, start, publishers, profile });
}

/** Before anything recurses: how many steps there are, and how deep they lie. Of what isn't a step the schema tells. */
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
            `lies in ${MAX_NESTED} others, the most there can be`,
          );
        }
        walk(repeat.steps, `${at}.repeat.steps`, repeats + 1);
      }
      if (isPlainObject(parallel)) walk(parallel.steps, `${at}.parallel.steps`, repeats);
    });
  }
  walk(given, "steps", 0);
}
