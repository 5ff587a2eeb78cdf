/** The parts of a world that the request path uses. The simulator wires them. */

import type { Day } from "../base/calendar.ts";
import type { Clock } from "../base/clock.ts";
import type { Rules } from "../faults/rules.ts";
import type { AccountWorld } from "../world/accounts/accounts.ts";
import type { WorldDescription } from "../world/publishers/world-settings.ts";
import type { CorsWorld } from "./cors.ts";
import type { Meter } from "./meter.ts";

export interface World extends AccountWorld, CorsWorld {
  readonly seed: string;
  /** The world's settings in every journal record. */
  readonly about: WorldDescription;
  readonly clock: Clock;
  readonly dayOf: (instantMs: number) => Day;
  readonly rules: Rules;
  /** Undefined if metrics aren't collected. */
  readonly meter: Meter | undefined;
}
