/** Ten thousand rows. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launch } from "../../chromium.ts";
import { visit } from "./visit.ts";

const ROWS = 10_000;
describe("ten thousand rows", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  test("are drawn a screen at a time, also while more arrive", async () => {
    const { page, impression, open, close } = await visit(browser);
    for (let sent = 0; sent < ROWS; sent += 1) impression(`s-${sent}`);
    await open();
    const list = page.locator(".list");
    await page.locator(`#row-${ROWS}`).waitFor();
    expect(await list.getAttribute("aria-rowcount")).toBe(`${ROWS + 1}`);
    const most = await list.evaluateHandle((scroller) => {
      const seen = { rows: 0 };
      new MutationObserver(() => {
        seen.rows = Math.max(seen.rows, scroller.querySelectorAll(".row").length);
      }).observe(scroller, { childList: true, subtree: true });
      return seen;
    });
    await list.evaluate(async (scroller) => {
      const steps = 200;
      for (let step = 0; step <= steps; step += 1) {
        scroller.scrollTop = (scroller.scrollHeight * step) / steps;
        await new Promise(requestAnimationFrame);
      }
    });
    await page.locator("#row-1").waitFor();
    // The journal forgets as many of the oldest, which are in view.
    for (let burst = 0; burst < 10; burst += 1) {
      for (let sent = 0; sent < 50; sent += 1) impression(`burst-${burst}-${sent}`);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    await page.getByRole("button", { name: "500 new" }).waitFor();
    await page.locator("#row-501").waitFor();
    const { rows } = await most.jsonValue();
    expect(rows).toBeGreaterThan(20);
    expect(rows).toBeLessThan(100);
    await close();
  });
});
