/**
 * Runs the tests that need Chromium: `npm run test:browser`. Those of this folder are run by Playwright's runner (`*.pages.ts`), all
 * others by vitest (`*.browser.ts`). Words select files, as in `npm run test:browser -- list`.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { chromium } from "../chromium.ts";

const folder = import.meta.dirname;
const modules = join(folder, "../../node_modules");
// The types of our sources are taken out once for all processes.
const env = { ...process.env, NODE_COMPILE_CACHE: join(modules, ".cache/compiled") };
const files = process.argv.slice(2);
const mayFindNone = files.length === 0 ? [] : ["--pass-with-no-tests"];

const runs = [
  ["vitest/vitest.mjs", "run", `--config=${join(folder, "vitest.config.ts")}`],
  ["@playwright/test/cli.js", "test", `--config=${folder}`],
];

if (chromium === undefined) {
  console.error("These tests need Chromium. Install it, or name one: CHROMIUM=/path/to/chromium.");
  process.exitCode = 1;
} else {
  for (const [runner = "", ...args] of runs) {
    const words = [join(modules, runner), ...args, ...files, ...mayFindNone];
    const { status } = spawnSync(process.execPath, words, { env, stdio: "inherit" });
    if (status !== 0) process.exitCode = 1;
  }
}
