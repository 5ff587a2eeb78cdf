/** Random waits for a clock. Most end a millisecond before, at or after an instant at which something changes. */

import type fc from "fast-check";
import { LAST_INSTANT_MS } from "../../base/calendar.ts";
import { InputError } from "../../base/input.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import { checkKnown, DEFAULT_START, instantMs, withDefaults } from "../options.ts";
import { anyWait, createWaits, type Edge, edges } from "./edges.ts";
import { sequenceOf } from "./sequence.ts";

export interface ArbitraryClockPlanOptions {
  /** The waits begin at this simulator's current time. @default none */
  readonly sim?: SimulatorCore | undefined;
  /** The instant at which the waits begin, in ISO 8601. Not together with `sim`. @default "2026-01-15T00:00:00Z" */
  readonly start?: string | undefined;
  /** @default 1 */
  readonly minLength?: number | undefined;
  /** @default 8 */
  readonly maxLength?: number | undefined;
  /** The edges near which waits end. @default all of them */
  readonly edges?: readonly Edge[] | undefined;
}

export interface ClockStep {
  /** For `clock.advance`, in milliseconds. */
  readonly byMs: number;
  /** The time afterwards, if nothing else moves the clock: milliseconds since 1970. */
  readonly atMs: number;
  /** The edge near which it ends: a millisecond before, at or after it. A window counts from the start of the wait. */
  readonly edge: Edge | undefined;
}

const defaults = { sim: undefined, start: undefined, minLength: 1, maxLength: 8, edges };

/**
 * Time never goes back, nor past the year 9999. A failure shrinks to few waits, to near edges, and to a millisecond.
 *
 * @throws InputError that names the invalid option.
 */
export function arbitraryClockPlan(
  options: ArbitraryClockPlanOptions = {},
): fc.Arbitrary<readonly ClockStep[]> {
  const { sim, start, edges: near, ...length } = withDefaults(options, defaults);
  checkKnown("edges", near, edges);
  if (sim !== undefined && start !== undefined) {
    throw new InputError("start", "must not be given together with sim, whose time counts");
  }
  const startMs = instantMs("start", start ?? DEFAULT_START);
  return sequenceOf(anyWait(near, LAST_INSTANT_MS), length).map((list) => {
    const clock = createWaits(sim?.clock.now() ?? startMs, LAST_INSTANT_MS);
    return list.map((wait) => {
      clock.beginWindow();
      return clock.next(wait);
    });
  });
}
