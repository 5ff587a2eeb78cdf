/**
 * Playwright's `test` with a separate simulated world for each test, which answers the requests of its pages, and its `expect`
 * with the matchers of a simulator.
 */

import {
  test as base,
  expect as baseExpect,
  type Expect,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestType,
} from "@playwright/test";
import { type Matchers, matchers } from "../../assertions/assertions.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import type { Simulator } from "../create-simulator.ts";
import { simulatorFromEnvironment } from "../environment.ts";
import { reportFailedTest } from "../failure-files.ts";
import { activeSurfaceOf, firstActivePublisher, type WorldFixtures } from "../test-world.ts";
import { routePages } from "./route-pages.ts";
import { type Advance, createSharedClock, type SharedClock } from "./shared-clock.ts";

/** What `test.use({ … })` sets, in a file or a `describe`, or `use` in the configuration. */
export interface SimOptions {
  /**
   * Options of the world.
   *
   * @default {}: the defaults of createSimulator, but pages of all origins may read answers (`cors: "*"`)
   */
  simOptions: SimulatorOptions;
  /**
   * The world's base URL, to which the pages send their requests: the part before /v1, without a trailing slash. Nothing
   * needs to be there.
   *
   * @default "https://ads.test"
   */
  baseUrl: string;
}

/** The fixtures of a test, whose world answers the pages of its `context`. Only those that a test uses are created. */
export interface SimFixtures extends WorldFixtures {
  /**
   * Moves the time of the world and of all pages. In a test that uses it, the clocks of pages start at the world's time and
   * stand still until it is called. Delayed answers wait for it, too.
   */
  advance: Advance;
}

interface OwnFixtures extends SimFixtures {
  /** Internal: the source of `sim`, and the time that it shares with the pages. */
  $world: { readonly sim: Simulator; readonly clock: SharedClock };
}

type Test<Fixtures> = TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & SimOptions & Fixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
>;

const extended: Test<OwnFixtures> = base.extend<OwnFixtures & SimOptions>({
  simOptions: [{}, { option: true }],
  baseUrl: ["https://ads.test", { option: true }],
  $world: async ({ simOptions }, use, testInfo) => {
    const sim = simulatorFromEnvironment({ cors: "*", ...simOptions });
    await use({ sim, clock: createSharedClock(sim) });
    if (testInfo.status === testInfo.expectedStatus) return;
    const [file = "", ...names] = testInfo.titlePath;
    const about = { file, name: names.join(" > "), id: testInfo.testId };
    const path = (await reportFailedTest(sim, about))?.path;
    if (path) await testInfo.attach("adsim trace", { path, contentType: "text/html" });
  },
  context: async ({ context, baseUrl, $world }, use) => {
    const stop = await routePages(context, { ...$world, baseUrl });
    await use(context);
    stop();
  },
  sim: async ({ $world }, use) => await use($world.sim),
  publisher: async ({ sim }, use) => await use(firstActivePublisher(sim)),
  surface: async ({ publisher }, use) => await use(activeSurfaceOf(publisher)),
  apiKey: async ({ publisher }, use) => await use(publisher.apiKey),
  advance: async ({ context, $world }, use) => await use(await $world.clock.share(context.clock)),
});

/** Playwright's `test` with the options {@link SimOptions} and the fixtures {@link SimFixtures}. */
export const test: Test<SimFixtures> = extended;

/** Playwright's `expect`, which also has the matchers of `expect(sim)`. */
export const expect: Expect<Matchers> = baseExpect.extend(matchers);
