/** The browser of the tests that open pages (`npm run test:browser`). */

import { existsSync } from "node:fs";
import { type Browser, chromium as browsers } from "@playwright/test";

const candidates =
  process.env.CHROMIUM === undefined
    ? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
    : [process.env.CHROMIUM];

/** The path of a Chromium (`CHROMIUM` names another one), or undefined where there is none. */
export const chromium: string | undefined = candidates.find((path) => existsSync(path));

/** Where tests run as root it has no sandbox; the pages are our own. */
export const launchOptions: { readonly executablePath: string; readonly args: string[] } = {
  executablePath: chromium ?? "",
  args: ["--no-sandbox"],
};

export function launch(): Promise<Browser> {
  return browsers.launch(launchOptions);
}
