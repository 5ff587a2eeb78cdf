/** The browser of the tests that open pages. A machine without one skips them. */

import { existsSync } from "node:fs";

const candidates =
  process.env.CHROMIUM === undefined
    ? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
    : [process.env.CHROMIUM];

/** The path of a Chromium (`CHROMIUM` names another one), or undefined where there is none. */
export const chromium: string | undefined = candidates.find((path) => existsSync(path));
