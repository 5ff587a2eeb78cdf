/** What a stats request costs after 10 impressions and after 10 million, of one publisher and over several ranges. */

import { createSimulator, type Simulator } from "../src/index.ts";
import { median, printFigure, printMachine, timed } from "./measure.ts";

const MANY = 10_000_000;
const FEW = 10;
const ROUNDS = 400;
/** As many as the limit admits in a minute. */
const A_ROUND = 60;
const LIMIT_A_MINUTE = 10_000;
/** Not quite 1: the figures of ten million impressions have more digits to add up and to write. */
const COSTS_THE_SAME = 1.25;

/** A world with so many impressions of one publisher, spread over two months. */
function worldWith(impressions: number): Simulator {
  const sim = createSimulator({ seed: "bench", publishers: 1, journalEntries: 0 });
  const { id, apiKey, surfaces } = sim.publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}` };
  const steps = MANY / LIMIT_A_MINUTE;
  for (let step = 0; step < steps; step += 1) {
    const now =
      Math.floor(((step + 1) * impressions) / steps) - Math.floor((step * impressions) / steps);
    for (let sent = 0; sent < now; sent += 1) {
      const surface = surfaces[sent % surfaces.length]?.id;
      // Without a session nothing is de-duplicated.
      const body = `{"publisher_id":"${id}","surface":"${surface}","ad_id":"ad"}`;
      const { status } = sim.handle({ method: "POST", path: "/v1/impression", headers, body });
      if (status !== 200) throw new Error(`An impression was answered with ${status}.`);
    }
    sim.clock.advance("90m");
  }
  return sim;
}

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

const periods: Readonly<Record<string, string>> = {
  "31 days": "",
  "all time": "&from=2020-01-01&to=2030-12-31",
  "one day": "&from=2026-02-01&to=2026-02-01",
};

printMachine();
const few = worldWith(FEW);
const many = worldWith(MANY);
for (const [name, period] of Object.entries(periods)) {
  const ofFew: number[] = [];
  const ofMany: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // The first of a pair finds colder caches.
    if (round % 2 === 0) ofFew.push(cost(few, period));
    ofMany.push(cost(many, period));
    if (round % 2 === 1) ofFew.push(cost(few, period));
  }
  printFigure({ name: `stats, ${name}, after 10 impressions`, value: median(ofFew), unit: "µs" });
  printFigure({ name: `stats, ${name}, after 10 million`, value: median(ofMany), unit: "µs" });
  printFigure({
    name: `stats, ${name}, ratio`,
    value: median(ofMany) / median(ofFew),
    unit: "×",
    atMost: COSTS_THE_SAME,
  });
}
