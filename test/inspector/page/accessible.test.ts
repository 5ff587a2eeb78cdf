/** Every view, in light and dark, wide and narrow: axe finds nothing, and nothing is wider than the screen. */

import { readFileSync } from "node:fs";
import type { AxeResults } from "axe-core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromium } from "../../chromium.ts";
import { launch, type Visit, visit } from "./visit.ts";

const axe = readFileSync(
  new URL("../../../node_modules/axe-core/axe.min.js", import.meta.url),
  "utf8",
);

const views = {
  list: "",
  exchange: "#at=3",
  "a fault": "#at=5",
  state: "#at=3&tab=state",
  "what if": "#at=3&tab=what-if",
  clock: "#view=world",
  assumptions: "#view=world&section=assumptions",
  faults: "#view=world&section=faults",
  publishers: "#view=world&section=publishers",
  scenarios: "#view=world&section=scenarios",
  worlds: "#view=world&section=worlds&with=other",
  truth: "#view=truth",
};

describe.skipIf(chromium === undefined)("every view (needs Chromium)", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  function traffic({ world, server, publisher, impression }: Visit): void {
    impression("a");
    impression("a");
    world.clock.advance("1h");
    world.handle({ method: "GET", path: "/v1/publisher/stat" });
    world.assume({ "dedup.repeat": "conflict" });
    world.faults.add({ id: "lost", match: { nth: 2 }, verdict: { kind: "lose-response" } });
    impression("b");
    impression("c");
    const headers = { authorization: `Bearer ${publisher.apiKey}` };
    for (let sent = 0; sent < 62; sent += 1) {
      world.handle({ method: "GET", path: "/v1/publisher/payouts", headers });
    }
    server.worlds.fork("other", "default");
  }

  for (const scheme of ["light", "dark"] as const) {
    for (const width of [1280, 400]) {
      test(`${scheme}, ${width} px: axe finds nothing, and nothing scrolls sideways`, async () => {
        const visited = await visit(browser, { scheme, width });
        const { page, open, close, complaints } = visited;
        await open();
        await page.getByRole("heading", { name: "No request yet" }).waitFor();
        traffic(visited);
        for (const [name, hash] of Object.entries(views)) {
          await open(hash);
          await page.locator("main :is(.list, .sheet)").first().waitFor();
          // Values load after the frame of a view.
          await page.waitForLoadState("networkidle").catch(() => undefined);
          for (const summary of await page.locator("details:not([open]) > summary").all()) {
            if (await summary.isVisible()) await summary.click();
            if (name === "assumptions") break;
          }
          const found = await page.evaluate(async (script) => {
            // As the page's own policy allows no eval, the test's script comes by way of the browser's protocol.
            if (Reflect.get(globalThis, "axe") === undefined) new Function(script)();
            const results: AxeResults = await Reflect.get(globalThis, "axe").run();
            return results.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
          }, axe);
          expect(found, name).toEqual([]);
          const overflow = await page.evaluate(
            () => document.documentElement.scrollWidth - innerWidth,
          );
          expect(overflow, name).toBeLessThanOrEqual(0);
        }
        expect(complaints).toEqual([]);
        await close();
      });
    }
  }
});
