/** Loads a command's scenario, and applies the options that override it. An error names the one that it comes from. */

import { given } from "../../base/given.ts";
import { InputError } from "../../base/input.ts";
import { isOverridden, type Overrides, withOverrides } from "../../play/scenario/overrides.ts";
import { MAX_RECORDED_STEPS, parseScenario } from "../../play/scenario/parse-scenario.ts";
import type { Scenario } from "../../play/scenario/types.ts";
import type { Choices } from "../../simulator/simulator-options.ts";
import { readAssumptionFlags } from "../options/assumption-flags.ts";
import type { CommonFlags } from "../options/common-options.ts";
import { wrongUsage } from "../output/exit.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { loadScenario } from "./load-scenario.ts";

export interface ResolvedScenario {
  /** The name or file as given. */
  readonly source: string;
  readonly scenario: Scenario;
  readonly overrides: Overrides;
}

/** @throws CommandFailure that names the source, InputError for an option's value. */
export async function resolveScenario(
  source: string,
  flags: CommonFlags & { readonly maxRequests?: number },
  { stdin }: Pick<HostProcess, "stdin">,
): Promise<ResolvedScenario> {
  const { seed, start, publishers, profile, maxRequests } = flags;
  // readAssumptionFlags has checked them.
  const assumptions = (await readAssumptionFlags(flags)).chosen as Choices;
  const overrides: Overrides = given({ seed, start, publishers, profile, assumptions });
  const loaded = await loadScenario(source, stdin);
  try {
    const limits = { maxRequests, maxSteps: MAX_RECORDED_STEPS };
    const scenario = parseScenario(withOverrides(loaded, overrides), limits);
    return { source, scenario, overrides };
  } catch (error) {
    throw errorInSource({ source, overrides }, error);
  }
}

/** Adds the source to an InputError, unless an option caused it. */
export function errorInSource(
  { source, overrides }: Pick<ResolvedScenario, "source" | "overrides">,
  error: unknown,
): unknown {
  if (!(error instanceof InputError) || isOverridden(error.field, overrides)) return error;
  return wrongUsage(`${source}: ${error.message}`);
}
