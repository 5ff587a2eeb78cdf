/**
 * One MSW server for all tests that run side by side: two at a time would take each other's requests for the
 * network's. It listens only as long as a test has a world there.
 */

import type { Transport } from "../../faults/faults.ts";
import type { SimulatorCore } from "../../simulator/simulator.ts";
import type { ApiRequest, ApiResponse } from "../../spec/messages.ts";

export interface MswHost {
  /** From now on the world is at the base URL. `name`: no other test of the process has it. */
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
      // Before anything waits: a test beside this one must not close the server meanwhile.
      worlds.set(name, sim);
      listening ??= listen(handle);
      const { transport } = await listening;
      sim.faults.limitTo(transport);
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

interface Listening {
  /** What its fault rules are limited to. */
  readonly transport: Transport;
  close(): void;
}

async function listen(handle: (request: ApiRequest) => ApiResponse): Promise<Listening> {
  // Only where it is asked for: msw need not be there.
  const [{ createHandlers, mswTransport }, { setupServer }] = await Promise.all([
    import("../msw.ts"),
    import("msw/node"),
  ]);
  const server = setupServer(...createHandlers({ handle }, { baseUrl: ORIGIN }));
  server.listen(bypassOptions);
  return { transport: mswTransport, close: () => server.close() };
}

/** What isn't a world's is left to others. msw 2 has the one option, msw 3 the other. */
const bypassOptions = { onUnhandledRequest: "bypass", onUnhandledFrame: "bypass" } as const;

const noWorld: ApiResponse = {
  status: 404,
  headers: { "content-type": "text/plain" },
  body: "adsim: the test that had a world here is over. Await what the client sends before the test ends.",
};
