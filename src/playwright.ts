/** `adsim/playwright`: `test` with a separate simulated world for each test, which answers its pages, and `expect` with its matchers. */

export {
  expect,
  type SimFixtures,
  type SimOptions,
  test,
} from "./adapters/playwright/playwright-test.ts";
export type { Advance } from "./adapters/playwright/shared-clock.ts";
