/** vitest's `test` with a separate simulated world for each test. */

import { test as base, type TestAPI } from "vitest";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import { reportReached, underEnvironment } from "../environment.ts";
import { reportFailedTest } from "../failure-files.ts";
import {
  activeSurfaceOf,
  firstActiveSurface,
  readSimOptions,
  type WorldFixtures,
} from "../test-world.ts";
import { createMswHost, openWorld, type TestWorld, type Transport } from "./world.ts";

/** The fixtures of a test. Only those that a test uses are created. */
export interface SimFixtures extends WorldFixtures {
  /**
   * Options of the world. Override them with `test.override("simOptions", { … })` in a file or a `describe`.
   *
   * @default {}: the defaults of createSimulator, with a frozen clock
   */
  simOptions: SimulatorOptions;
  /** How the client reaches the world. Override it like `simOptions`. @default "fetch" */
  transport: Transport;
  /** The world's base URL, without a trailing slash. Paths start with /v1. */
  baseUrl: string;
  /** The `fetch` for the client: the world's with the transport "fetch", otherwise the global one. */
  fetch: typeof globalThis.fetch;
}

interface OwnFixtures extends SimFixtures {
  /** Internal: the source of `sim`, `baseUrl` and `fetch`. */
  $world: TestWorld;
}

/**
 * Not a fixture: vitest creates a file-scoped one again for another `test.extend`, and two MSW servers would take each other's
 * requests. Its worlds have names that are unique in the process.
 */
const msw = createMswHost();

const extended: TestAPI<OwnFixtures> = base.extend<OwnFixtures>({
  simOptions: {},
  transport: "fetch",
  $world: async ({ simOptions, transport, task, onTestFailed, onTestFinished }, use) => {
    const name = `test-${task.id.replaceAll(/[^A-Za-z0-9]+/g, "-")}`.toLowerCase();
    const options = underEnvironment(readSimOptions(simOptions));
    const world = await openWorld(transport, { options, name, msw });
    reportReached(world.sim);
    const report = async (): Promise<void> => {
      const { file, id } = task;
      await reportFailedTest(world.sim, { file: file.name, names: namesOf(task), id });
    };
    // vitest turns the result of `test.fails` round only after these hooks.
    if (task.fails === true) {
      onTestFinished(async () => (task.result?.state === "pass" ? await report() : undefined));
    } else onTestFailed(report);
    try {
      await use(world);
    } finally {
      await world.close();
    }
  },
  sim: async ({ $world }, use) => await use($world.sim),
  publisher: async ({ sim }, use) => await use(firstActiveSurface(sim).publisher),
  surface: async ({ sim, publisher }, use) => await use(activeSurfaceOf(publisher, sim)),
  apiKey: async ({ publisher }, use) => await use(publisher.apiKey),
  baseUrl: async ({ $world }, use) => await use($world.baseUrl),
  fetch: async ({ $world }, use) => await use($world.fetch),
});

/** vitest's `test` with the fixtures {@link SimFixtures}. */
export const test: TestAPI<SimFixtures> = extended;

/** Of the groups that it is in, and its own. */
function namesOf({ name, suite }: Readonly<Named>): readonly string[] {
  return suite === undefined ? [name] : [...namesOf(suite), name];
}

interface Named {
  readonly name: string;
  readonly suite?: Named | undefined;
}
