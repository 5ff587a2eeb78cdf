/** How `npm test` runs the tests. */

import { join } from "node:path";
import { defineConfig } from "vitest/config";

const config: ReturnType<typeof defineConfig> = defineConfig({
  test: {
    testTimeout: 30_000,
    maxWorkers: "100%",
    // Hundreds of tests start the command line from its sources: their types are taken out once for all.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compiled") },
  },
});

export default config;
