/** Reads stats and payouts of a simulator, without limits, under whatever assumptions are in force there. */

import type { Simulator } from "../../src/index.ts";
import type { Member } from "../../src/invariants/client-exchange.ts";
import { type Payouts, readPayouts, readStats, type Stats } from "../../src/invariants/figures.ts";
import { prepareCopy, todayIn, type Values } from "../../src/invariants/world-copy.ts";

/** Asks a fork. */
export interface Reader {
  /** The day of its clock. */
  readonly today: string;
  stats(publisherId: string, query?: Values): Stats;
  /** Stats of all the days that a publisher has had. */
  lifetime(publisher: { readonly id: string; readonly joined: string }): Stats;
  payouts(publisherId: string): Payouts;
}

export function readerOf(origin: Simulator): Reader {
  const copy = prepareCopy(origin.fork(), origin.assumptions);
  const today = todayIn(copy);
  const stats: Reader["stats"] = (id, query) => readStats(copy, named(id), query);
  return {
    today,
    stats,
    lifetime: ({ id, joined }) => stats(id, { from: joined, to: today }),
    payouts: (id) => readPayouts(copy, named(id)),
  };
}

/** Without a key: the copy gives it a new one when it is read. */
function named(id: string): Member {
  return { id, apiKey: "", joined: undefined, surfaces: [] };
}
