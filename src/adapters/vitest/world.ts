/** A world of one test's own, and the way to it: opened before the test, closed after it. */

import type { Publisher, Surface } from "../../accounts/account.ts";
import { InputError } from "../../base/input.ts";
import type { SimulatorCore } from "../../simulator.ts";
import type { SimulatorOptions } from "../../simulator-options.ts";
import { createSimulator, type Simulator, withFetch } from "../in-process.ts";

/**
 * How a client gets to the world.
 *
 * - `fetch`: the client is given the fixture's `fetch`. Nothing leaves the process.
 * - `msw`: the machine's own `fetch`, and what else MSW intercepts, finds the world at `baseUrl`. Needs msw.
 * - `http`: a server on a free port of 127.0.0.1, for a client that uses neither, or runs in another process.
 */
export type Transport = "fetch" | "msw" | "http";

export interface TestWorld {
  readonly sim: Simulator;
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void> | void;
}

const openers = { fetch: inProcess, msw: underMsw, http: overHttp } satisfies Record<
  Transport,
  (options: SimulatorOptions, name: string) => TestWorld | Promise<TestWorld>
>;

/**
 * `name`: no other test of the process has it.
 *
 * @throws InputError (as a rejection) that names the option at fault.
 */
export async function openWorld(
  transport: Transport,
  options: SimulatorOptions,
  name: string,
): Promise<TestWorld> {
  if (!Object.hasOwn(openers, transport)) {
    const named = Object.keys(openers).map((one) => JSON.stringify(one));
    throw new InputError("transport", `must be one of ${named.join(", ")}`);
  }
  return await openers[transport](options, name);
}

/** A host of its own: under MSW tests that run side by side share the machine's fetch. */
function baseUrlOf(name: string): string {
  return `http://${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.ads.test`;
}

function inProcess(options: SimulatorOptions, name: string): TestWorld {
  const sim = createSimulator(options);
  return { sim, baseUrl: baseUrlOf(name), fetch: sim.fetch, close() {} };
}

async function underMsw(options: SimulatorOptions, name: string): Promise<TestWorld> {
  // Only where it is asked for: msw need not be there.
  const [{ createHandlers }, { setupServer }] = await Promise.all([
    import("../msw.ts"),
    import("msw/node"),
  ]);
  const sim = createSimulator(options);
  const baseUrl = baseUrlOf(name);
  const server = setupServer(...createHandlers(sim, { baseUrl }));
  server.listen(passedThrough);
  return { sim, baseUrl, fetch: machineFetch, close: () => server.close() };
}

/** What isn't the world's is left to others. msw 2 has the one option, msw 3 the other. */
const passedThrough = { onUnhandledRequest: "bypass", onUnhandledFrame: "bypass" } as const;

async function overHttp(options: SimulatorOptions): Promise<TestWorld> {
  const { startServer } = await import("../node-http.ts");
  // Frozen, unless told otherwise: a test moves time itself.
  const server = await startServer({ ...options, clock: options.clock ?? "frozen", port: 0 });
  const sim = withFetch(server.worlds.get("default"));
  return { sim, baseUrl: server.url, fetch: machineFetch, close: () => server.close() };
}

/** As it is when it is called: MSW and others replace it. */
const machineFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init);

/** The first publisher that has a surface to show ads on, and that surface. */
export function firstToShow({ publishers }: SimulatorCore): {
  readonly publisher: Publisher;
  readonly surface: Surface;
} {
  for (let place = 0; place < publishers.total; place += 1) {
    const publisher = publishers.at(place);
    const surface = publisher.surfaces.find(({ status }) => status === "active");
    if (surface !== undefined) return { publisher, surface };
  }
  const publisher = publishers.signUp({ surfaces: ["Sidebar"] });
  const [surface] = publisher.surfaces;
  if (surface === undefined)
    throw new Error("A sign-up without its surface. This is a bug in adsim.");
  return { publisher, surface };
}
