/**
 * What a stats request costs after 10 impressions and after 10 million, of one publisher and over several ranges. A third
 * world has few impressions too, but on every day and at every surface: it tells more rows from longer numbers.
 */

import type { Simulator } from "../src/index.ts";
import { median, printFigure, printMachine, timed } from "./measure.ts";
import { record, worldWith, worldWithFew, worldWithMany } from "./recorded.ts";
import { rotated } from "./table.ts";

const ROUNDS = 400;
/** As many as the limit admits in a minute. */
const A_ROUND = 60;
const STEPS_A_DAY = 16;
/** Not 1: ten million impressions are on more days than ten, at more surfaces than one, and their figures are longer. */
const COSTS_THE_SAME = 1.25;
/** What the machine makes of two times the same. */
const THE_SAME = 1.1;

/** Microseconds a request. Two questions take turns, so that no answer is one that was just given. */
function cost(sim: Simulator, period: string): number {
  const { id, apiKey, surfaces } = sim.publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}` };
  const questions = ["", `&surface=${surfaces[0]?.id}`].map((surface) => ({
    method: "GET",
    path: "/v1/publisher/stats",
    query: `publisher_id=${id}${period}${surface}`,
    headers,
  }));
  sim.clock.advance("1m");
  const ms = timed(() => {
    for (let sent = 0; sent < A_ROUND; sent += questions.length) {
      for (const question of questions) {
        const { status } = sim.handle(question);
        if (status !== 200) throw new Error(`A stats request was answered with ${status}.`);
      }
    }
  });
  return (ms * 1000) / A_ROUND;
}

/** Microseconds a request for each of the worlds, the median of all rounds. They take turns. */
function costs<Name extends string>(
  worlds: Readonly<Record<Name, Simulator>>,
  period: string,
): Readonly<Record<Name, number>> {
  const names = Object.keys(worlds) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of rotated(names, round)) {
      measured[name]?.push(cost(worlds[name], period));
    }
  }
  const medians = names.map((name) => [name, median(measured[name] ?? [])]);
  // One for each name.
  return Object.fromEntries(medians) as Record<Name, number>;
}

function printRatio(name: string, value: number, atMost?: number): void {
  printFigure({ name, value, unit: "×", ...(atMost === undefined ? {} : { atMost }) });
}

const periods: Readonly<Record<string, string>> = {
  "31 days": "",
  "all time": "&from=2020-01-01&to=2030-12-31",
  "one day": "&from=2026-02-01&to=2026-02-01",
};

printMachine();
const few = worldWithFew();
const sparse = worldWith((step, surfaces) => (step % STEPS_A_DAY === 0 ? surfaces : 0));
const many = worldWithMany();
for (const [name, period] of Object.entries(periods)) {
  const us = costs({ few, sparse, many }, period);
  printFigure({ name: `stats, ${name}, after 10 impressions`, value: us.few, unit: "µs" });
  printFigure({ name: `stats, ${name}, one a day at each surface`, value: us.sparse, unit: "µs" });
  printFigure({ name: `stats, ${name}, after 10 million`, value: us.many, unit: "µs" });
  printRatio(`stats, ${name}, 10 million to 10`, us.many / us.few, COSTS_THE_SAME);
  // Five of six surfaces have no figures after ten: their rows are short, and nothing is looked up for them.
  printRatio(`stats, ${name}, of it for all days and surfaces`, us.sparse / us.few);
  printRatio(`stats, ${name}, of it for longer numbers`, us.many / us.sparse);
}

// Numbers of the same length at the end of as many days: what is left is the number of events.
for (const sim of [sparse, many]) {
  sim.clock.advance("1d");
  record(sim, sim.publishers.at(0).surfaces.length);
}
const today = new Date(many.clock.now()).toISOString().slice(0, 10);
const us = costs({ sparse, many }, `&from=${today}&to=${today}`);
printRatio("stats, a day alike, 10 million to one a day", us.many / us.sparse, THE_SAME);
