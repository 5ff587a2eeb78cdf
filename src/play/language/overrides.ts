/** Fields of a scenario that whoever plays it may give anew: what the world is made from. */

import { safeName } from "../../base/safe-name.ts";
import type { Scenario } from "./scenario.ts";

export type Overrides = Partial<
  Pick<Scenario, "seed" | "start" | "publishers" | "profile" | "assumptions">
>;

/** The scenario, not yet looked at, with these fields instead of its own; of the assumptions those that are given. */
export function withOverrides(scenario: object, overrides: Overrides): object {
  const { assumptions = {}, ...fields } = overrides;
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  // What the scenario has there is refused later if it isn't an object.
  const own = (scenario as { readonly assumptions?: object }).assumptions;
  return {
    ...scenario,
    ...Object.fromEntries(given),
    ...(Object.keys(assumptions).length > 0 && { assumptions: { ...own, ...assumptions } }),
  };
}

/** Whether a wrong field is one of those that were given anew. */
export function isOverridden(field: string, overrides: Overrides): boolean {
  const [name = "", ...key] = field.split(".");
  if (name === "assumptions" && key.length > 0) {
    // Errors don't repeat every key as it was given.
    const given = Object.keys(overrides.assumptions ?? {});
    return given.some((one) => one.split(".").map(safeName).join(".") === key.join("."));
  }
  return Object.entries(overrides).some(([given, value]) => given === name && value !== undefined);
}

/** The options of a command line that give these fields anew. */
export function overrideWords({ assumptions = {}, ...fields }: Overrides): string[] {
  return [
    ...Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .flatMap(([name, value]) => [`--${name}`, String(value)]),
    ...Object.entries(assumptions).flatMap(([key, choice]) => ["--assume", `${key}=${choice}`]),
  ];
}
