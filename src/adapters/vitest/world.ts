/** Opens a world for one test over the chosen transport, and closes it afterwards. */

import { InputError } from "../../base/input.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import { createSimulator, type Simulator, withFetch } from "../create-simulator.ts";
import type { MswHost } from "./msw-host.ts";

/**
 * How a client reaches the world.
 *
 * - `fetch`: through the fixture's `fetch`, which the test gives to the client. Nothing leaves the process.
 * - `msw`: through the global `fetch`, or whatever else MSW intercepts, at `baseUrl`. Needs msw.
 * - `http`: over a server on a free port of 127.0.0.1, for other clients and other processes.
 */
export type Transport = "fetch" | "msw" | "http";

export interface TestWorld {
  readonly sim: Simulator;
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void> | void;
}

interface Opening {
  readonly options: SimulatorOptions;
  /** Unique in the process. Letters, digits and hyphens. */
  readonly name: string;
  readonly msw: MswHost;
}

const openers = { fetch: inProcess, msw: underMsw, http: overHttp } satisfies Record<
  Transport,
  (opening: Opening) => TestWorld | Promise<TestWorld>
>;

/** @throws InputError (as a rejection) that names the invalid option. */
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
  // Frozen by default, because tests move time themselves.
  const server = await startServer({ ...options, clock: options.clock ?? "frozen", port: 0 });
  const sim = withFetch(server.worlds.get("default"));
  return { sim, baseUrl: server.url, fetch: machineFetch, close: () => server.close() };
}

/** Looks `fetch` up at each call, because MSW and others replace it. */
const machineFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init);
