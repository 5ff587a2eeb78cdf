/** How `npm run test:browser` runs the tests that open a page themselves: they stand beside those of what the page belongs to. */

import { join } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: join(import.meta.dirname, "../.."),
    include: ["test/**/*.browser.ts"],
    // No test takes this long, unless the machine is busy with something else.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    isolate: false,
  },
});
