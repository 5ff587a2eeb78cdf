/** `adsim/vitest`: `test` with a simulated world of each test's own, and `expect` with matchers of it. */

export { expect } from "./adapters/vitest/expect.ts";
export { type SimFixtures, test } from "./adapters/vitest/fixtures.ts";
export type { Transport } from "./adapters/vitest/world.ts";
