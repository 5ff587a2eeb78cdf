/** The fields of a scenario that a user can override when playing it: those the world is created from. */

import { given } from "../../base/plain-data.ts";
import type { Scenario } from "./types.ts";

export type Overrides = Partial<
  Pick<Scenario, "seed" | "start" | "publishers" | "profile" | "assumptions">
>;

/** The unchecked scenario with these fields in place of its own. Assumptions are merged key by key. */
export function withOverrides(scenario: object, overrides: Overrides): object {
  const { assumptions = {}, ...fields } = overrides;
  // If the scenario's own value isn't an object, parsing rejects it later.
  const own = (scenario as { readonly assumptions?: object }).assumptions;
  return {
    ...scenario,
    ...given(fields),
    ...(Object.keys(assumptions).length > 0 && { assumptions: { ...own, ...assumptions } }),
  };
}

/** Whether an error's field is one of the overridden ones. */
export function isOverridden(field: string, overrides: Overrides): boolean {
  const choices = Object.keys(overrides.assumptions ?? {}).map((key) => `assumptions.${key}`);
  return [...Object.keys(given(overrides)), ...choices].includes(field);
}

/** The command-line options that set these overrides. */
export function overrideWords({ assumptions = {}, ...fields }: Overrides): string[] {
  return [
    ...Object.entries(given(fields)).flatMap(([name, value]) => [`--${name}`, String(value)]),
    ...Object.entries(assumptions).flatMap(([key, choice]) => ["--assume", `${key}=${choice}`]),
  ];
}
