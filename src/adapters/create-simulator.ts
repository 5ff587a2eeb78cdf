/** The simulator for direct use in a program: the core with `fetch`. */

import { InputError } from "../base/input.ts";
import type { HostedCore, SimulatorCore } from "../simulator/core.ts";
import { createSimulatorCore } from "../simulator/core.ts";
import type { Moment } from "../simulator/past.ts";
import type { SimulatorOptions } from "../simulator/simulator-options.ts";
import { fakerHost } from "../world/publishers/people.ts";
import { createFetch } from "./fetch.ts";

/** An in-process simulated service. */
export interface Simulator extends SimulatorCore {
  /** A `fetch` that the service answers, for any origin. Give it to a client in place of the built-in one. */
  readonly fetch: typeof globalThis.fetch;
  fork(moment?: Moment): Simulator;
  /**
   * The inspector as the text of one HTML file that anyone can open: it shows what happened here, and loads nothing. It
   * contains what was sent to this simulator, but for the values of `Authorization`, `Proxy-Authorization`, `Cookie` and
   * `X-Api-Key`.
   *
   * @throws InputError (as a rejection) if the journal is off.
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
  return withFetch(createSimulatorCore(options, fakerHost));
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

/** Loads the page and the control API, which most programs never need. */
async function traceOfOne(world: HostedCore, options: TraceOptions | undefined): Promise<string> {
  if (world.journal.capacity === 0) {
    throw new InputError("journalEntries", "must not be 0: a trace is made from the journal");
  }
  const { traceHtml, worldsWith } = await import("./trace-html.ts");
  return await traceHtml(worldsWith(world), options?.title);
}
