/** Populations before anything was recorded. Each is made once: sequences have few seeds and starts between them. */

import { createSimulator, type Publisher, type Simulator } from "../../src/index.ts";
import { addDays, dayOfInstant } from "../../src/testing/oracle/calendar.ts";
import type { History } from "../../src/testing/oracle/expectation.ts";
import { type Reader, readerOf } from "./reader.ts";
import type { RunOptions } from "./run.ts";

export interface Pristine {
  readonly sim: Simulator;
  readonly publishers: readonly Publisher[];
  readonly history: History;
}

const made = new Map<string, Pristine>();

/**
 * The population of a world. Of its readings only those are taken over that it may depend on: whatever else is assumed,
 * the history must be this one.
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
      "click.revenue": assumptions["click.revenue"],
      "surface.statuses": assumptions["surface.statuses"],
    },
  };
  const key = JSON.stringify(options);
  const known = made.get(key);
  if (known !== undefined) return known;
  const sim = createSimulator(options);
  const list = sim.publishers.list({ limit: publishers });
  const startDay = dayOfInstant(sim.clock.now(), assumptions["date.timezone"]);
  const history = historyOf(readerOf(sim), list, addDays(startDay, -1));
  const pristine = { sim, publishers: list, history };
  made.set(key, pristine);
  return pristine;
}

const nothing: ReturnType<History> = { impressions: 0, clicks: 0, micros: 0 };

function historyOf(reader: Reader, publishers: readonly Publisher[], lastDay: string): History {
  const remembered = new Map<string, ReturnType<History>>();
  const joined = new Map(publishers.map((one) => [one.id, one.joined]));
  return (id, range) => {
    const first = joined.get(id);
    if (first === undefined) return nothing;
    const from = range.from < first ? first : range.from;
    const to = range.to > lastDay ? lastDay : range.to;
    if (from > to) return nothing;
    const { surface } = range;
    const key = `${id} ${from} ${to} ${surface}`;
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const query = surface === undefined ? { from, to } : { from, to, surface };
    const { impressions, clicks, micros } = reader.stats(id, query);
    const figures = { impressions, clicks, micros };
    remembered.set(key, figures);
    return figures;
  };
}
