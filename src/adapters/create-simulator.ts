/** The simulator for direct use in a program: the core with `fetch`. */

import { createSimulatorCore } from "../simulator/core.ts";
import type { Moment } from "../simulator/moment.ts";
import type { HostedCore, SimulatorCore } from "../simulator/simulator.ts";
import type { Readings, SimulatorOptions } from "../simulator/simulator-options.ts";
import { DEFAULT_WORLD } from "../simulator/worlds.ts";
import { fakerHost } from "../world/publishers/people.ts";
import { createFetch } from "./fetch.ts";

/** An in-process simulated service. */
export interface Simulator extends SimulatorCore {
  /** A `fetch` that the service answers, for any origin. Give it to a client in place of the built-in one. */
  readonly fetch: typeof globalThis.fetch;
  fork(moment?: Moment): Simulator;
  /**
   * The inspector as the text of one HTML file that anyone can open: it shows what happened here and what would have happened
   * otherwise, and loads nothing. It contains everything that was sent to this simulator, without keys and passwords.
   *
   * @throws InputError (as a rejection) if the journal is off, or the state has too many events to copy.
   */
  trace(options?: TraceOptions): Promise<string>;
}

export interface TraceOptions {
  /** @default "adsim trace" */
  readonly title?: string | undefined;
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

/** Adds `fetch` and `trace` to the core, which stays the same object. */
export function withFetch(core: HostedCore): Simulator {
  const fork = core.fork.bind(core);
  return Object.assign(core, {
    fetch: createFetch(core.handle),
    fork: (moment?: Moment) => withFetch(fork(moment)),
    trace: (options?: TraceOptions) => traceOfOne(core, options),
  });
}

/** Loads the page and its engine, which most programs never need. */
async function traceOfOne(world: HostedCore, options: TraceOptions | undefined): Promise<string> {
  const { traceHtml } = await import("./trace-html.ts");
  const worlds = [{ name: DEFAULT_WORLD, world }] as const;
  const { html } = await traceHtml(worlds, { title: options?.title, host: fakerHost });
  return html;
}
