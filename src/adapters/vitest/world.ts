/** A world of one test's own, and the way to it: opened before the test, closed after it. */

import { InputError } from "../../base/input.ts";
import type { SimulatorCore } from "../../simulator/simulator.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import type { Publisher, Surface } from "../../world/accounts/account.ts";
import { createSimulator, type Simulator, withFetch } from "../create-simulator.ts";
import type { MswHost } from "./msw-host.ts";

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

/** What a world is opened with. */
interface Opening {
  readonly options: SimulatorOptions;
  /** No other test of the process has it. Letters, digits and hyphens. */
  readonly name: string;
  readonly msw: MswHost;
}

const openers = { fetch: inProcess, msw: underMsw, http: overHttp } satisfies Record<
  Transport,
  (opening: Opening) => TestWorld | Promise<TestWorld>
>;

/** @throws InputError (as a rejection) that names the option at fault. */
export async function openWorld(transport: Transport, opening: Opening): Promise<TestWorld> {
  if (Object.hasOwn(openers, transport)) return await openers[transport](opening);
  const named = Object.keys(openers).map((one) => JSON.stringify(one));
  throw new InputError("transport", `must be one of ${named.join(", ")}`);
}

function inProcess({ options, name }: Opening): TestWorld {
  const sim = createSimulator(options);
  return { sim, baseUrl: `http://${name}.ads.test`, fetch: sim.fetch, close() {} };
}

async function underMsw({ options, name, msw }: Opening): Promise<TestWorld> {
  const sim = createSimulator(options);
  const { baseUrl, remove } = await msw.add(sim, name);
  return { sim, baseUrl, fetch: machineFetch, close: remove };
}

async function overHttp({ options }: Opening): Promise<TestWorld> {
  const { startServer } = await import("../server/server.ts");
  // Frozen, unless told otherwise: a test moves time itself.
  const server = await startServer({ ...options, clock: options.clock ?? "frozen", port: 0 });
  const sim = withFetch(server.worlds.get("default"));
  return { sim, baseUrl: server.url, fetch: machineFetch, close: () => server.close() };
}

/** As it is when it is called: MSW and others replace it. */
const machineFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init);

/** The first publisher that has a surface to show ads on, and that surface. */
export function firstActiveSurface({ publishers }: SimulatorCore): {
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
