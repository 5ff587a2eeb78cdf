/** vitest's `test` with a separate simulated world for each test. */

import { test as base, type RunnerTask as Task, type TestAPI } from "vitest";
import { digestOf } from "../../base/digest.ts";
import { InputError } from "../../base/input.ts";
import { printable } from "../../base/text.ts";
import type { SimulatorCore } from "../../simulator/simulator.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import type { Publisher, Surface } from "../../world/accounts/account.ts";
import type { Simulator } from "../create-simulator.ts";
import { reportReached, underEnvironment } from "../environment.ts";
import { traceInWords, writeFailureTrace } from "../failure-files.ts";
import { createMswHost } from "./msw-host.ts";
import { firstActiveSurface, openWorld, type TestWorld, type Transport } from "./world.ts";

/** The fixtures of a test. Only those that a test uses are created. */
export interface SimFixtures {
  /**
   * Options of the world. Override them with `test.override("simOptions", { … })` in a file or a `describe`.
   *
   * @default {}: the defaults of createSimulator, with a frozen clock
   */
  simOptions: SimulatorOptions;
  /** How the client reaches the world. Override it like `simOptions`. @default "fetch" */
  transport: Transport;
  /** The world. No other test sees it, and it is closed after the test. */
  sim: Simulator;
  /** The first publisher with an active surface. It has seeded history before the world's first day. */
  publisher: Publisher;
  /** Its first active surface. */
  surface: Surface;
  /** Its key. */
  apiKey: string;
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
  $world: async ({ simOptions, transport, task, onTestFailed }, use) => {
    const name = `test-${task.id.replaceAll(/[^A-Za-z0-9]+/g, "-")}`.toLowerCase();
    const options = underEnvironment(readOptions(simOptions));
    const world = await openWorld(transport, { options, name, msw });
    reportReached(world.sim);
    onTestFailed(async () => {
      const trace = world.sim.journal.total === 0 ? undefined : await traceOfTest(world.sim, task);
      console.error([latestRequests(world.sim), ...(trace ? [trace] : [])].join("\n"));
    });
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
export const test: TestAPI<SimFixtures> = extended;

const TRACES_FOLDER = "adsim-traces";

async function traceOfTest(sim: Simulator, task: Readonly<Task>): Promise<string | undefined> {
  const title = [task.file.name, ...namesOf(task)].join(" > ");
  const options = { file: traceFileOf(task), title, folder: TRACES_FOLDER };
  const trace = await writeFailureTrace(sim, options);
  return trace && `adsim: to open in a browser: ${traceInWords(trace)}`;
}

/** Of the groups that it is in, and its own. */
function namesOf({ name, suite }: Readonly<Named>): readonly string[] {
  return suite === undefined ? [name] : [...namesOf(suite), name];
}

interface Named {
  readonly name: string;
  readonly suite?: Named | undefined;
}

const MAX_FILE_NAME = 100;

/** The same for the same test in every run. Different for different tests, even if their names differ in punctuation only. */
function traceFileOf(task: Readonly<Task>): string {
  const words = namesOf(task)
    .join(" ")
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ["test"];
  const unique = digestOf([task.file.name, task.id]).slice(0, 8);
  return `${words.join("-").slice(0, MAX_FILE_NAME)}-${unique}.html`;
}

function readOptions(options: SimulatorOptions): SimulatorOptions {
  if (typeof options === "object" && options !== null && !Array.isArray(options)) return options;
  throw new InputError("simOptions", 'must be an object of options, such as { seed: "42" }');
}

const MAX_SHOWN = 8;

/** The latest requests to the world, without keys. */
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
