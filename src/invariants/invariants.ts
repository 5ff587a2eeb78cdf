/** The one list of invariants, for the player, for tests of a simulator, for the property campaigns and for reports. */

import type { Invariant } from "./invariant.ts";
import { isolationInvariants } from "./isolation.ts";
import { limitInvariants } from "./limits.ts";
import { moneyInvariants } from "./money.ts";
import { recordingInvariants } from "./recording.ts";
import { shapeInvariants } from "./shape.ts";
import { statsInvariants } from "./stats.ts";

export const invariants: readonly Invariant[] = [
  ...moneyInvariants,
  ...statsInvariants,
  ...recordingInvariants,
  ...limitInvariants,
  ...isolationInvariants,
  ...shapeInvariants,
];
