/** Schemas that the options of several arbitraries share. */

import * as v from "valibot";
import { LAST_INSTANT_MS, parseInstant } from "../base/calendar.ts";
import { instantText, wholeFrom } from "../base/schemas.ts";
import type { SimulatorCore } from "../simulator/simulator.ts";

/** The default start of a simulator. */
export const DEFAULT_START = "2026-01-15T00:00:00Z";

/** A whole number from `least` to `most`. */
export function lengthFrom(least: number, most = 10_000): v.GenericSchema<unknown, number> {
  return v.pipe(wholeFrom(least), v.maxValue(most, `must be at most ${most}`));
}

/** A list of at least one of these names. */
export function someOf<Name extends string>(
  names: readonly Name[],
): v.GenericSchema<unknown, readonly Name[]> {
  const one = v.picklist(names, `must be one of ${names.join(", ")}`);
  return v.pipe(
    v.array(one, "must be a list of names"),
    v.minLength(1, "must not be an empty list"),
  ) as v.GenericSchema<unknown, readonly Name[]>;
}

/** Weights by name: whole numbers, 0 for never. */
export function weightsOf<Name extends string>(
  names: readonly Name[],
): v.GenericSchema<unknown, Partial<Readonly<Record<Name, number>>>> {
  const entries = names.map((name) => [name, v.optional(lengthFrom(0))] as const);
  // The schema accepts only these names, each with an optional whole number.
  return v.strictObject(Object.fromEntries(entries)) as unknown as v.GenericSchema<
    unknown,
    Partial<Readonly<Record<Name, number>>>
  >;
}

/** An instant at which a world can start. */
export const instant: v.GenericSchema<unknown, string> = v.pipe(
  instantText,
  v.check(
    (text) => msOf(text) >= 0 && msOf(text) <= LAST_INSTANT_MS,
    "must be an instant from 1970 to 9999",
  ),
);

export const simulator: v.GenericSchema<unknown, SimulatorCore> = v.custom<SimulatorCore>(
  isSimulator,
  "must be a simulator made by createSimulator",
);

export function isSimulator(value: unknown): value is SimulatorCore {
  if (typeof value !== "object" || value === null) return false;
  return ["publishers", "clock", "journal", "handle"].every((name) => name in value);
}

/** Milliseconds since 1970 of what {@link instant} accepts. */
export function msOf(text: string): number {
  return parseInstant(text) ?? 0;
}
