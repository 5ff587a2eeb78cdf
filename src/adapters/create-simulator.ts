/** The simulator as a program uses it directly: the core, with `fetch`. */

import { createSimulatorCore, type SimulatorCore } from "../simulator/simulator.ts";
import type { SimulatorOptions } from "../simulator/simulator-options.ts";
import { fakerPerson } from "../world/publishers/people.ts";
import { createFetch } from "./fetch.ts";

/** A simulated service in this process. */
export interface Simulator extends SimulatorCore {
  /** The service as `fetch`: any origin is its own. Give it to a client instead of the built-in one. */
  readonly fetch: typeof globalThis.fetch;
  /** A simulator of its own that goes on from this state, with an empty journal. */
  fork(): Simulator;
}

/**
 * A simulated Publisher Advertising API with a seeded population.
 *
 * @throws InputError that names the option at fault.
 */
export function createSimulator(options: SimulatorOptions = {}): Simulator {
  return withFetch(createSimulatorCore(options, { people: () => fakerPerson }));
}

/** The core with `fetch`; it stays the same object. */
export function withFetch(core: SimulatorCore): Simulator {
  const fork = core.fork.bind(core);
  return Object.assign(core, {
    fetch: createFetch(core.handle),
    fork: () => withFetch(fork()),
  });
}
