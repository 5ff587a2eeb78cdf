/** Programs that some tests run and that a machine may lack: those tests are skipped then, and a notice says which. */

import { spawnSync } from "node:child_process";
import { chromium } from "./chromium.ts";

const starts = (program: string): boolean =>
  spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;

export const hasCurl: boolean = starts("curl");
export const hasPython: boolean = starts("python3");

/** Vitest calls it once, before the first test. */
export function setup(): void {
  const missing = [
    hasCurl ? "" : "curl",
    hasPython ? "" : "python3",
    chromium === undefined ? "Chromium (CHROMIUM=/path/to/chromium names one)" : "",
  ].filter((name) => name !== "");
  if (missing.length === 0) return;
  console.warn(
    `Tests are skipped that need what this machine doesn't have: ${missing.join(", ")}.`,
  );
}
