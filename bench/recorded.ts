/** Worlds with events in them, for what is measured after many of them: one publisher, whose impressions take two months. */

import { createSimulator, type Simulator } from "../src/index.ts";

export const SEED = "bench";
const MANY = 10_000_000;
const FEW = 10;
const LIMIT_A_MINUTE = 10_000;
/** How often impressions are recorded. Between two times the clock moves. */
const STEPS = MANY / LIMIT_A_MINUTE;

/** Each of them has all its impressions at once, at most as many as the limit admits. */
export function worldWith(impressionsIn: (step: number, surfaces: number) => number): Simulator {
  const sim = createSimulator({ seed: SEED, publishers: 1, journalEntries: 0 });
  const { length } = sim.publishers.at(0).surfaces;
  for (let step = 0; step < STEPS; step += 1) {
    record(sim, impressionsIn(step, length));
    sim.clock.advance("90m");
  }
  return sim;
}

export function worldWithFew(): Simulator {
  return worldWith((step) => (step % (STEPS / FEW) === 0 ? 1 : 0));
}

export function worldWithMany(): Simulator {
  return worldWith(() => LIMIT_A_MINUTE);
}

export function record(sim: Simulator, impressions: number): void {
  const { id, apiKey, surfaces } = sim.publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}` };
  for (let sent = 0; sent < impressions; sent += 1) {
    const surface = surfaces[sent % surfaces.length]?.id;
    // Without a session nothing is de-duplicated.
    const body = `{"publisher_id":"${id}","surface":"${surface}","ad_id":"ad"}`;
    const { status } = sim.handle({ method: "POST", path: "/v1/impression", headers, body });
    if (status !== 200) throw new Error(`An impression was answered with ${status}.`);
  }
}
