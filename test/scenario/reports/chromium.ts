/** A real browser, for the page that readers open in one. */

import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** @throws Error that says how to get a browser. */
export function startChromium(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  if (!existsSync(executablePath)) {
    throw new Error(
      `These tests open pages in Chromium, and there is none at ${executablePath}. Install it (apt-get install chromium), or name it: CHROMIUM=/path/to/chromium.`,
    );
  }
  // Where tests run as root it has no sandbox; the pages are our own.
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}
