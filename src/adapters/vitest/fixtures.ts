/** vitest's `test` with a separate simulated world for each test, and its `expect` with the matchers of a simulator. */

import { test as base, expect as baseExpect, type ExpectStatic, type TestAPI } from "vitest";
import { matchers, type SimMatchers } from "../../assertions/assertions.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import { reportReached, underEnvironment } from "../environment.ts";
import { reportFailedTest } from "../failure-files.ts";
import { activeSurfaceOf, firstActivePublisher, type WorldFixtures } from "../test-world.ts";
import { openWorld, type TestWorld, type Transport } from "./world.ts";

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

const extended: TestAPI<OwnFixtures> = base.extend<OwnFixtures>({
  simOptions: {},
  transport: "fetch",
  $world: async ({ simOptions, transport, task, onTestFailed }, use) => {
    const name = `test-${task.id.replaceAll(/[^A-Za-z0-9]+/g, "-")}`.toLowerCase();
    const world = await openWorld(transport, underEnvironment(simOptions), name);
    reportReached(world.sim);
    onTestFailed(async () => {
      const about = { file: task.file.name, name: task.fullTestName, id: task.id };
      // A test that has to fail has done so.
      if (task.fails !== true) await reportFailedTest(world.sim, about);
    });
    try {
      await use(world);
    } finally {
      await world.close();
    }
  },
  sim: async ({ $world }, use) => await use($world.sim),
  publisher: async ({ sim }, use) => await use(firstActivePublisher(sim)),
  surface: async ({ publisher }, use) => await use(activeSurfaceOf(publisher)),
  apiKey: async ({ publisher }, use) => await use(publisher.apiKey),
  baseUrl: async ({ $world }, use) => await use($world.baseUrl),
  fetch: async ({ $world }, use) => await use($world.fetch),
});

/** vitest's `test` with the fixtures {@link SimFixtures}. */
export const test: TestAPI<SimFixtures> = extended;

declare module "vitest" {
  // Without type parameters, because they differ between vitest 4 and 5; all of them have defaults.
  interface Matchers extends SimMatchers {}
}

baseExpect.extend(matchers);
/** vitest's own `expect`. Loading this module adds the matchers to it. */
export const expect: ExpectStatic = baseExpect;
