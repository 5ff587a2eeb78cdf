/** Every invariant, once: for the player, for tests that check a simulator, for the property campaigns and the reports. */

import { determinism } from "./determinism.ts";
import { isolation } from "./isolation.ts";
import type { Law } from "./law.ts";
import { limits } from "./limits.ts";
import { money } from "./money.ts";
import { recording } from "./recording.ts";
import { shape } from "./shape.ts";
import { stats } from "./stats.ts";

/** In the order of the list. */
export const laws: readonly Law[] = [
  ...money,
  ...stats,
  ...recording,
  ...limits,
  ...isolation,
  ...determinism,
  ...shape,
];
