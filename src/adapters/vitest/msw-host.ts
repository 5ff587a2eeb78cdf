/**
 * One MSW server for all concurrent tests: two servers would treat each other's requests as the network's. It listens only
 * while a test has a world there.
 */

import type { SimulatorCore } from "../../simulator/core.ts";
import type { ApiRequest, ApiResponse } from "../../spec/messages.ts";

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

interface Listening {
  close(): void;
}

async function listen(handle: (request: ApiRequest) => ApiResponse): Promise<Listening> {
  // Loaded on demand, because msw is optional.
  const [{ createHandlers }, { setupServer }] = await Promise.all([
    import("../msw.ts"),
    import("msw/node"),
  ]);
  const server = setupServer(...createHandlers({ handle }, { baseUrl: ORIGIN }));
  server.listen(bypassOptions);
  return { close: () => server.close() };
}

/** Lets other requests pass. msw 2 has the first option, msw 3 the second. */
const bypassOptions = { onUnhandledRequest: "bypass", onUnhandledFrame: "bypass" } as const;

const noWorld: ApiResponse = {
  status: 404,
  headers: { "content-type": "text/plain" },
  body: "adsim: the test whose world this was has ended. Await the client's requests before the test ends.",
};
