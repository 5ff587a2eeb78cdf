/** `adsim/vitest`: `test` with a separate simulated world for each test, and `expect` with its matchers. */

export { expect, type SimFixtures, test } from "./adapters/vitest/fixtures.ts";
export type { Transport } from "./adapters/vitest/world.ts";
