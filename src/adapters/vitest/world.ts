/** Opens a world for one test over the chosen transport, and closes it afterwards. */

import { InputError } from "../../base/input.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
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

/**
 * One MSW server for all concurrent tests: two servers would treat each other's requests as the network's. It listens only
 * while a test has a world there.
 */
export interface MswHost {
  /** Serves the world at the returned base URL. `name`: unique in the process. */
  add(
    sim: SimulatorCore,
    name: string,
  ): Promise<{ readonly baseUrl: string; remove(): Promise<void> }>;
}

/** The top-level domain can't exist (RFC 6761). */
const ORIGIN = "http://ads.test";

export function createMswHost(): MswHost {
  const worlds = new Map<string, SimulatorCore>();
  let listening: Promise<Listening> | undefined;

  /** The first part of the path names the world. */
  function handle(request: ApiRequest): ApiResponse {
    const [, name = "", rest = ""] = /^\/([^/]*)(.*)$/.exec(request.path) ?? [];
    const sim = worlds.get(name);
    return sim === undefined ? noWorld : sim.handle({ ...request, path: rest || "/" });
  }

  return {
    async add(sim, name) {
      // Before any await, so that a concurrent test doesn't close the server meanwhile.
      worlds.set(name, sim);
      listening ??= listen(handle);
      await listening;
      return {
        baseUrl: `${ORIGIN}/${name}`,
        async remove() {
          worlds.delete(name);
          if (worlds.size > 0 || listening === undefined) return;
          const last = listening;
          listening = undefined;
          (await last).close();
        },
      };
    },
  };
}

type Listening = { close(): void };

async function listen(handle: (request: ApiRequest) => ApiResponse): Promise<Listening> {
  // Loaded on demand, because msw is optional.
  const { createHandlers } = await import("../msw.ts");
  const server = (await import("msw/node")).setupServer(
    ...createHandlers({ handle }, { baseUrl: ORIGIN }),
  );
  server.listen(bypassOptions);
  return server;
}

/** Lets other requests pass. msw 2 has the first option, msw 3 the second. */
const bypassOptions = { onUnhandledRequest: "bypass", onUnhandledFrame: "bypass" } as const;

const noWorld: ApiResponse = {
  status: 404,
  headers: { "content-type": "text/plain" },
  body: "adsim: the test whose world this was has ended. Await the client's requests before the test ends.",
};
