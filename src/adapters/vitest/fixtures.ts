/** vitest's `test` with a simulated world of each test's own. */

import { test as base, type TestAPI } from "vitest";
import { InputError } from "../../base/input.ts";
import { printable } from "../../base/text.ts";
import type { SimulatorCore } from "../../simulator/simulator.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import type { Publisher, Surface } from "../../world/accounts/account.ts";
import type { Simulator } from "../create-simulator.ts";
import { createMswHost } from "./msw-host.ts";
import { firstActiveSurface, openWorld, type TestWorld, type Transport } from "./world.ts";

/** What a test is given. Nothing is made that a test doesn't ask for. */
export interface SimFixtures {
  /**
   * What the world is made from. To be overridden: `test.override("simOptions", { … })` in a file or a `describe`.
   *
   * @default {}: that of createSimulator, the clock frozen
   */
  simOptions: SimulatorOptions;
  /** How the client gets to the world. To be overridden likewise. @default "fetch" */
  transport: Transport;
  /** The world: no other test sees it, and it is gone after the test. */
  sim: Simulator;
  /** The first publisher that has an active surface. It has made-up history from before the world's first day. */
  publisher: Publisher;
  /** Its first active surface. */
  surface: Surface;
  /** Its key. */
  apiKey: string;
  /** Where the client finds the world, without a slash at its end. Paths start with /v1. */
  baseUrl: string;
  /** For the client to send by: answers from the world under the transport "fetch", else the machine's own. */
  fetch: typeof globalThis.fetch;
}

interface OwnFixtures extends SimFixtures {
  /** Not for tests: what `sim`, `baseUrl` and `fetch` are parts of. */
  $world: TestWorld;
}

/**
 * Not a fixture: vitest makes one of file scope anew for another `test.extend`, and two servers take each other's requests.
 * What it holds has names that no other test of the process has.
 */
const msw = createMswHost();

const made: TestAPI<OwnFixtures> = base.extend<OwnFixtures>({
  simOptions: {},
  transport: "fetch",
  $world: async ({ simOptions, transport, task, onTestFailed }, use) => {
    const name = `test-${task.id.replaceAll(/[^A-Za-z0-9]+/g, "-")}`.toLowerCase();
    const world = await openWorld(transport, { options: readOptions(simOptions), name, msw });
    onTestFailed(() => console.error(latestRequests(world.sim)));
    try {
      await use(world);
    } finally {
      await world.close();
    }
  },
  sim: async ({ $world }, use) => await use($world.sim),
  publisher: async ({ sim }, use) => await use(firstActiveSurface(sim).publisher),
  surface: async ({ sim, publisher }, use) => {
    const surface = publisher.surfaces.find(({ status }) => status === "active");
    await use(surface ?? firstActiveSurface(sim).surface);
  },
  apiKey: async ({ publisher }, use) => await use(publisher.apiKey),
  baseUrl: async ({ $world }, use) => await use($world.baseUrl),
  fetch: async ({ $world }, use) => await use($world.fetch),
});

/** vitest's `test` with the fixtures {@link SimFixtures}. */
export const test: TestAPI<SimFixtures> = made;

function readOptions(options: SimulatorOptions): SimulatorOptions {
  if (typeof options === "object" && options !== null && !Array.isArray(options)) return options;
  throw new InputError("simOptions", 'must be an object of options, such as { seed: "42" }');
}

const MAX_SHOWN = 8;

/** What came to the world last. Keys are not in it. */
function latestRequests({ journal }: SimulatorCore): string {
  const entries = journal.entries({ limit: MAX_SHOWN });
  if (entries.length === 0) return "adsim: no request came to the test's world.";
  const lines = entries.map(({ sequence, at, request, response, reason }) => {
    const answer = response.status === 0 ? "no answer" : response.status;
    return `  #${sequence} ${at} ${printable(`${request.method} ${request.path}`)} → ${answer}, ${reason}`;
  });
  const which = entries.length < journal.total ? `the last ${entries.length} of ` : "";
  return [
    `adsim: ${which}${journal.total} requests to the test's world. All of each: sim.journal.entries().`,
    ...lines,
  ].join("\n");
}
