/** Runs the tests of this folder: `npm run test:browser`. They need Chromium. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { chromium } from "../chromium.ts";

const modules = join(import.meta.dirname, "../../node_modules");
const runner = join(modules, "@playwright/test/cli.js");
// The types of our sources are taken out once for all processes.
const env = { ...process.env, NODE_COMPILE_CACHE: join(modules, ".cache/compiled") };

if (chromium === undefined) {
  console.warn(
    "The tests in test/browser were skipped. This machine lacks Chromium (CHROMIUM=/path/to/chromium names one).",
  );
  if (process.env.ALL_TESTS === "1") process.exitCode = 1;
} else {
  const args = [runner, "test", `--config=${import.meta.dirname}`, ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, args, { env, stdio: "inherit" }).status ?? 1;
}
