/** Ten thousand rows. `bench/inspector.ts` measures how long drawing them keeps the browser busy. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromium } from "../../chromium.ts";
import { launch, visit } from "./visit.ts";

const ROWS = 10_000;
describe.skipIf(chromium === undefined)("ten thousand rows (needs Chromium)", () => {
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
    const drawn = await list.evaluate(async (scroller) => {
      const steps = 200;
      let most = 0;
      for (let step = 0; step <= steps; step += 1) {
        scroller.scrollTop = (scroller.scrollHeight * step) / steps;
        await new Promise(requestAnimationFrame);
        most = Math.max(most, scroller.querySelectorAll(".row").length);
      }
      return most;
    });
    await page.locator("#row-1").waitFor();
    expect(drawn).toBeLessThan(100);
    for (let burst = 0; burst < 10; burst += 1) {
      for (let sent = 0; sent < 50; sent += 1) impression(`burst-${burst}-${sent}`);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    await page.getByRole("button", { name: "500 new" }).waitFor();
    await close();
  });
});
