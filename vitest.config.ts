/** How `npm test` runs the tests. */

import { join } from "node:path";
import { defineConfig } from "vitest/config";

/**
 * Tests that touch nothing but simulators of their own run in one process: starting one for each of these files would take
 * half a minute. What replaces a module, intercepts requests or changes globals stays apart.
 */
const together: string[] = [
  ...["audit", "base", "exchange", "laws", "properties", "readings", "simulator", "spec", "world"],
  ...["play/language", "play/shipped"],
].map((folder) => `test/${folder}/**/*.test.ts`);

const config: ReturnType<typeof defineConfig> = defineConfig({
  test: {
    testTimeout: 30_000,
    globalSetup: "test/programs.ts",
    maxWorkers: "100%",
    // Hundreds of tests start the command line from its sources: their types are taken out once for all.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compiled") },
    projects: [
      { extends: true, test: { name: "together", include: together, isolate: false } },
      { extends: true, test: { name: "apart", exclude: ["**/node_modules/**", ...together] } },
    ],
  },
});

export default config;
