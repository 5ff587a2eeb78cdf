/** A defect planted into a copy of the simulator's sources: a shipped scenario must notice it. */

import type { Change } from "../../planted-modules.ts";

export interface Defect extends Change {
  /** Name of the shipped scenario that breaks. */
  readonly scenario: string;
  /** What the defect does, in a few words. */
  readonly says: string;
}
