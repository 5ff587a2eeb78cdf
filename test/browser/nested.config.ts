/** How a test runs Playwright's runner on other tests: on those in the folder that the environment names, then on failing ones. */

import { join } from "node:path";
import { defineConfig, type PlaywrightTestConfig } from "@playwright/test";
import base from "./playwright.config.ts";

const { globalSetup: _site, ...others } = base;
const folder = process.env.ADSIM_TEST_NESTED;
if (!folder) throw new Error("ADSIM_TEST_NESTED must name a folder: see failed-test.pages.ts.");

const config: PlaywrightTestConfig = defineConfig({
  ...others,
  outputDir: join(folder, "results"),
  fullyParallel: false,
  workers: 1,
  projects: [
    { name: "good", testDir: folder, testMatch: "*.spec.js" },
    { name: "failing", testDir: "failing", testMatch: "*.nested.ts" },
  ],
});

export default config;
