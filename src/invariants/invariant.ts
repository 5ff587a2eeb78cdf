/** Defines invariants: what each looks at and tries. */

import type { Log } from "./log.ts";
import type { WorldCopy } from "./world-copy.ts";

/** Its functions return what they looked at, and throw as `ensure` and `inconclusive` do. */
export interface Invariant {
  readonly id: string;
  readonly says: string;
  /** Looks at the answers of the run; works for other services too. */
  readonly seen?: (log: Log) => string;
  /** Tries it in a copy of the world as it is now. */
  readonly tried?: (copy: WorldCopy) => string;
}
