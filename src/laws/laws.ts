/** Every invariant, once: for the player, for tests that check a simulator, for the property campaigns and the reports. */

import { determinismLaws } from "./determinism-laws.ts";
import { isolationLaws } from "./isolation-laws.ts";
import type { Law } from "./law.ts";
import { limitLaws } from "./limit-laws.ts";
import { moneyLaws } from "./money-laws.ts";
import { recordingLaws } from "./recording-laws.ts";
import { shapeLaws } from "./shape-laws.ts";
import { statsLaws } from "./stats-laws.ts";

/** In the order of the list. */
export const laws: readonly Law[] = [
  ...moneyLaws,
  ...statsLaws,
  ...recordingLaws,
  ...limitLaws,
  ...isolationLaws,
  ...determinismLaws,
  ...shapeLaws,
];
