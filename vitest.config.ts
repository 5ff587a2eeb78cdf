/** How `npm test` runs the tests. */

import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { skippedTests } from "./test/skipped-tests.ts";

/**
 * Tests that replace a module, intercept requests or change globals, and those that would notice a busy process: each file has
 * a process of its own. All others share one for each core: starting one for each of these files would take a minute.
 */
const apart: string[] = [
  "adapters/{fake-timers,msw}",
  "faults/{connections,msw}",
  "parity",
  "play/foreign/{foreign,own-requests}",
  "play/targets/real-traffic",
  "testing/driver/globals",
  "vitest/fixtures",
].map((file) => `test/${file}.test.ts`);

export default defineConfig({
  test: {
    // No test takes this long, unless the machine is busy with something else.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: ["default", skippedTests],
    // One more than cores: some tests wait for real time to pass.
    maxWorkers: availableParallelism() + 1,
    // Tests allocate much and keep little. With V8's default of 16 MiB for new objects, collecting garbage takes a fifth of the time.
    execArgv: ["--max-semi-space-size=64"],
    // Tests that start the command line from its sources: their types are taken out once for all.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compiled") },
    projects: [
      {
        extends: true,
        test: { name: "together", exclude: ["**/node_modules/**", ...apart], isolate: false },
      },
      { extends: true, test: { name: "apart", include: apart } },
    ],
  },
});
