/** The simulator for direct use in a program: the core with `fetch`. */

import { createSimulatorCore } from "../simulator/core.ts";
import type { Moment } from "../simulator/moment.ts";
import type { SimulatorCore } from "../simulator/simulator.ts";
import type { Readings, SimulatorOptions } from "../simulator/simulator-options.ts";
import { fakerHost } from "../world/publishers/people.ts";
import { createFetch } from "./fetch.ts";

/** An in-process simulated service. */
export interface Simulator extends SimulatorCore {
  /** A `fetch` that the service answers, for any origin. Give it to a client in place of the built-in one. */
  readonly fetch: typeof globalThis.fetch;
  fork(moment?: Moment): Simulator;
}

/**
 * Creates a simulated Publisher Advertising API with a seeded population.
 *
 * @throws InputError that names the invalid option.
 */
export function createSimulator(options: SimulatorOptions = {}): Simulator {
  const sim = withFetch(createSimulatorCore(options, fakerHost));
  chosen.set(sim, { ...options.assumptions });
  return sim;
}

const chosen = new WeakMap<object, Readings>();

/** The choices that this simulator was made with; undefined if `createSimulator` didn't make it. */
export function chosenFor(sim: object): Readings | undefined {
  return chosen.get(sim);
}

/** Adds `fetch` to the core, which stays the same object. */
export function withFetch(core: SimulatorCore): Simulator {
  const fork = core.fork.bind(core);
  return Object.assign(core, {
    fetch: createFetch(core.handle),
    fork: (moment?: Moment) => withFetch(fork(moment)),
  });
}
