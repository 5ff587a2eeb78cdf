/** Ten thousand rows: drawn a screen at a time, without blocking the browser. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromium } from "../../chromium.ts";
import { launch, visit } from "./visit.ts";

const ROWS = 10_000;
/** A task that computes longer makes scrolling stutter. */
const LONG_MICROS = 100_000;

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args: { readonly name?: string };
  /** The time that the thread computed, in microseconds. */
  readonly tdur?: number;
}

describe.skipIf(chromium === undefined)("ten thousand rows (needs Chromium)", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  /**
   * How many tasks of the page's thread computed too long while it did this. An observer of "longtask" would also count the time
   * in which other processes had the core.
   */
  async function longTasks(page: Page, act: () => Promise<void>): Promise<string[]> {
    await browser.startTracing(page, { categories: ["toplevel", "__metadata"] });
    await act();
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
    const events: readonly TraceEvent[] = traceEvents;
    const threads = events.filter(
      ({ name, args }) => name === "thread_name" && args.name === "CrRendererMain",
    );
    const tasks = events.filter(
      ({ tdur, pid, tid }) =>
        tdur !== undefined && threads.some((thread) => thread.pid === pid && thread.tid === tid),
    );
    expect(tasks.length).toBeGreaterThan(10);
    return tasks
      .filter(({ tdur = 0 }) => tdur > LONG_MICROS)
      .map(({ name, tdur = 0 }) => `${name} ${Math.round(tdur / 1000)} ms`);
  }

  test("arrive and scroll without a long task, also while more arrive", async () => {
    const { page, impression, open, close } = await visit(browser);
    for (let sent = 0; sent < ROWS; sent += 1) impression(`s-${sent}`);
    const long = await longTasks(page, async () => {
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
    });
    expect(long).toEqual([]);
    await close();
  });

  test("a long task would be noticed", async () => {
    const { page, open, close } = await visit(browser);
    await open();
    const long = await longTasks(page, () =>
      page.evaluate(
        () =>
          new Promise<void>((resolve) => {
            setTimeout(() => {
              const until = performance.now() + 1000;
              while (performance.now() < until);
              resolve();
            });
          }),
      ),
    );
    expect(long).not.toEqual([]);
    await close();
  });
});
