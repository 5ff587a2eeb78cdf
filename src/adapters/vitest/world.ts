/** Opens a world for one test over the chosen transport, and closes it afterwards. */

import { InputError } from "../../base/input.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import type { ApiRequest, ApiResponse } from "../../spec/messages.ts";
import { createSimulator, type Simulator, withFetch } from "../create-simulator.ts";

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

/**
 * @param name Unique in the process: letters, digits and hyphens.
 * @throws InputError (as a rejection) that names the invalid option.
 */
export async function openWorld(
  transport: Transport,
  options: SimulatorOptions,
  name: string,
): Promise<TestWorld> {
  switch (transport) {
    case "fetch": {
      const sim = createSimulator(options);
      return { sim, baseUrl: `http://${name}.ads.test`, fetch: sim.fetch, close() {} };
    }
    case "msw": {
      const sim = createSimulator(options);
      underMsw.set(name, sim);
      listening ??= listen();
      await listening;
      const close = (): void => void underMsw.delete(name);
      return { sim, baseUrl: `${ORIGIN}/${name}`, fetch: machineFetch, close };
    }
    case "http": {
      const { startServer } = await import("../server/server.ts");
      // Frozen by default, because tests move time themselves.
      const server = await startServer({ ...options, clock: options.clock ?? "frozen", port: 0 });
      const sim = withFetch(server.worlds.get("default"));
      return { sim, baseUrl: server.url, fetch: machineFetch, close: () => server.close() };
    }
    default:
      throw new InputError("transport", 'must be "fetch", "msw" or "http"');
  }
}

/** Looks `fetch` up at each call, because MSW and others replace it. */
const machineFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init);

/** The top-level domain can't exist (RFC 6761). */
const ORIGIN = "http://ads.test";

/** The first part of a path names the world. */
const underMsw = new Map<string, Simulator>();
/** One MSW server for all tests of the process: two would treat each other's requests as the network's. */
let listening: Promise<void> | undefined;

/** Loads msw on demand, because it is optional. */
async function listen(): Promise<void> {
  const { createHandlers } = await import("../msw.ts");
  const { setupServer } = await import("msw/node");
  const server = setupServer(...createHandlers({ handle: handleUnderMsw }, { baseUrl: ORIGIN }));
  // Lets other requests pass. msw 2 has the first option, msw 3 the second.
  const others = { onUnhandledRequest: "bypass", onUnhandledFrame: "bypass" } as const;
  server.listen(others);
}

function handleUnderMsw(request: ApiRequest): ApiResponse {
  const [, name = "", rest = ""] = /^\/([^/]*)(.*)$/.exec(request.path) ?? [];
  const sim = underMsw.get(name);
  if (sim !== undefined) return sim.handle({ ...request, path: rest || "/" });
  throw new Error(
    `adsim: no running test has the path ${request.path}. Either the client dropped the path of baseUrl, or its test has ended: await the client's requests before.`,
  );
}
