/** Reads stats of a simulator, without limits, under whatever assumptions are in force there. */

import type { Simulator } from "../../src/index.ts";
import type { Stats } from "../../src/invariants/answers.ts";
import { Trace } from "../../src/invariants/client-exchange.ts";
import { copyOf, readStats, todayIn } from "../../src/invariants/invariant.ts";

/** Asks a fork. */
export interface Reader {
  /** The day of its clock. */
  readonly today: string;
  stats(publisherId: string, query: Readonly<Record<string, string>>): Stats;
}

export function readerOf(origin: Simulator): Reader {
  const copy = copyOf({ world: origin, members: [], trace: new Trace() });
  return {
    today: todayIn(copy),
    stats: (id, query) =>
      readStats(copy, { id, apiKey: "", joined: undefined, surfaces: [] }, query),
  };
}
