/** The one list of laws, for the player, for tests of a simulator, for the property campaigns and for reports. */

import { determinismLaws } from "./determinism-laws.ts";
import { isolationLaws } from "./isolation-laws.ts";
import type { Law } from "./law.ts";
import { limitLaws } from "./limit-laws.ts";
import { moneyLaws } from "./money-laws.ts";
import { recordingLaws } from "./recording-laws.ts";
import { shapeLaws } from "./shape-laws.ts";
import { statsLaws } from "./stats-laws.ts";

export const laws: readonly Law[] = [
  ...moneyLaws,
  ...statsLaws,
  ...recordingLaws,
  ...limitLaws,
  ...isolationLaws,
  ...determinismLaws,
  ...shapeLaws,
];
