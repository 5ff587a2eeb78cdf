/** What an invariant is. */

import type { Played } from "./trace.ts";
import type { WorldCopy } from "./world-copy.ts";

/** Its functions return what they looked at, and throw as `ensure` and `inconclusive` do. */
export interface Invariant {
  readonly id: string;
  readonly says: string;
  /** Looks at answers: those of the run, also of other services, and those of a copy of the world. */
  readonly seen?: (played: Played) => string;
  /** Tries it in a copy of the world as it is now. The invariants share the copy, in the order of their list. */
  readonly tried?: (copy: WorldCopy) => string;
}
