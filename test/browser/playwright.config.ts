/** How `npm run test:browser` runs these tests: by Playwright's runner, in the Chromium of this machine. */

import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig, type PlaywrightTestConfig } from "@playwright/test";
import { launchOptions } from "../chromium.ts";

const config: PlaywrightTestConfig = defineConfig({
  globalSetup: "./site.ts",
  testMatch: "*.pages.ts",
  outputDir: join(tmpdir(), "adsim-test-browser"),
  // Node takes the types out of our sources, as in every other test.
  build: { external: ["**/src/**", "**/test/faults/**"] },
  // No test takes this long, unless the machine is busy with something else.
  timeout: 60_000,
  expect: { timeout: 30_000 },
  fullyParallel: true,
  workers: 2,
  forbidOnly: true,
  reporter: "list",
  use: { launchOptions },
});

export default config;
