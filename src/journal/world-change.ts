/** What is done to a world by hand, between its requests. */

import type { ClockMode } from "../base/clock.ts";
import type { FaultChange } from "../faults/faults.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import type { PublisherChange } from "../world/accounts/publisher-directory.ts";

/** `was`: the mode of the clock before. A change of the kind `replace` replaces the whole state. */
export type WorldChange =
  | PublisherChange
  | FaultChange
  | { readonly kind: "advance"; readonly byMs: number }
  | {
      readonly kind: "set-clock";
      readonly mode: ClockMode;
      readonly nowMs: number;
      readonly was: ClockMode;
    }
  | { readonly kind: "assume"; readonly assumptions: Partial<Assumptions> }
  | { readonly kind: "replace"; readonly by: "restore" | "play"; readonly was: ClockMode };
