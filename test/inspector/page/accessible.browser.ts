/** Every view, in light and dark, wide and narrow: axe finds nothing, and nothing is wider than the screen. */

import { readFileSync } from "node:fs";
import type { AxeResults } from "axe-core";
import { expect, test } from "vitest";
import { someOf } from "../../budget.ts";
import { useBrowser, type Visit, visit } from "./visit.ts";

useBrowser();

const axe = readFileSync(
  new URL("../../../node_modules/axe-core/axe.min.js", import.meta.url),
  "utf8",
);

/** Details that are opened in each view, the first ones. */
const OPENED = 4;

const views = {
  list: "",
  refused: "#at=3",
  "a lost answer": "#at=5&tab=answer",
  state: "#at=3&tab=state",
  "what if": "#at=3&tab=what-if",
  curl: "#at=3&tab=curl",
  faults: "#view=world",
  assumptions: "#view=world&section=assumptions&search=dedup",
  publishers: "#view=world&section=publishers",
  scenarios: "#view=world&section=scenarios",
  "state of the world": "#view=world&section=state",
  findings: "#view=findings",
};

function traffic({ world, server, impression, nowhere, payouts }: Visit): void {
  impression("a");
  impression("a");
  world.clock.advance("1h");
  nowhere();
  world.assume({ "dedup.repeat": "conflict" });
  world.faults.add({ id: "lost", match: { nth: 2 }, verdict: { kind: "lose-response" } });
  impression("b");
  impression("c");
  for (let sent = 0; sent < 62; sent += 1) payouts();
  server.worlds.fork("other", "default");
}

test.each([
  ["light", 1280, 400],
  ["dark", 400, 1280],
] as const)(
  "%s, %i px: axe finds nothing; at %i px neither scrolls a view sideways",
  {
    timeout: 180_000,
  },
  async (colorScheme, width, otherWidth) => {
    const size = (wide: number) => ({ width: wide, height: 800 });
    const visited = await visit({ colorScheme, viewport: size(width) });
    const { page, open, go, complaints } = visited;
    await open();
    await page.getByRole("heading", { name: "Waiting for the first request" }).waitFor();
    traffic(visited);
    await page.evaluate(axe);
    for (const [name, hash] of someOf(Object.entries(views))) {
      await go(hash);
      await page.locator("main :is(.list, .side):visible").first().waitFor();
      await page.locator("text=Loading …").first().waitFor({ state: "detached" });
      const closed = await page.locator("main details:not([open]) > summary:visible").all();
      for (const summary of closed.slice(0, OPENED).reverse()) await summary.click();
      const found = await page.evaluate(async () => {
        const results: AxeResults = await Reflect.get(globalThis, "axe").run();
        return results.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
      });
      expect(found, name).toEqual([]);
      for (const wide of [otherWidth, width]) {
        await page.setViewportSize(size(wide));
        const overflow = () => document.documentElement.scrollWidth - innerWidth;
        expect(await page.evaluate(overflow), `${name}, ${wide} px`).toBeLessThanOrEqual(0);
      }
    }
    expect(complaints).toEqual([]);
  },
);
