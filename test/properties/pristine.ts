/** Populations before anything was recorded. Each is made once: sequences have few seeds and starts between them. */

import { createSimulator, type Publisher, type Simulator } from "../../src/index.ts";
import type { History } from "../oracle/expectation.ts";
import type { RunOptions } from "./run.ts";
import { historyOf } from "./seeded-history.ts";

export interface Pristine {
  readonly sim: Simulator;
  readonly publishers: readonly Publisher[];
  readonly history: History;
}

const made = new Map<string, Pristine>();

/**
 * The population of a world. It takes only those of the world's assumptions that it may depend on: whatever the others are,
 * the history must be the same.
 */
export function pristineOf({
  seed,
  start,
  publishers,
  profile,
  assumptions,
}: RunOptions): Pristine {
  const options = {
    seed,
    start,
    publishers,
    profile,
    assumptions: {
      "date.timezone": assumptions["date.timezone"],
      "ids.format": assumptions["ids.format"],
      "surface.statuses": assumptions["surface.statuses"],
    },
  };
  const key = JSON.stringify(options);
  const known = made.get(key);
  if (known !== undefined) return known;
  const sim = createSimulator(options);
  const list = sim.publishers.list({ limit: publishers });
  const pristine = { sim, publishers: list, history: historyOf(sim) };
  made.set(key, pristine);
  return pristine;
}
