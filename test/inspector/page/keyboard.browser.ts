/** Everything by keyboard: lists, tabs, time, views, forms. No test here uses the mouse. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launch } from "../../chromium.ts";
import { visit } from "./visit.ts";

describe("the keyboard", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  function focused(page: Page): Promise<string> {
    return page.evaluate(() => {
      const { activeElement } = document;
      return activeElement?.getAttribute("aria-label") ?? activeElement?.textContent ?? "";
    });
  }

  /** Presses Tab until the focus is on this. */
  async function tabTo(page: Page, name: string): Promise<void> {
    for (let pressed = 0; pressed < 60; pressed += 1) {
      if ((await focused(page)).trim() === name) return;
      await page.keyboard.press("Tab");
    }
    expect(await focused(page)).toBe(name);
  }

  test("walks the list, opens, scrubs, closes, filters and changes the view", async () => {
    const { page, world, impression, open, close, complaints } = await visit(browser);
    for (let sent = 0; sent < 10; sent += 1) impression(`s-${sent}`);
    world.handle({ method: "GET", path: "/v1/nothing" });
    impression("last");
    await open();
    await page.locator("#row-12").waitFor();
    const opened = (sequence: number): Promise<void> =>
      page.getByRole("heading", { name: `#${sequence} ` }).waitFor();
    const press = async (...keys: string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press("j", "j", "j", "k", "Enter");
    await opened(11);
    await page.getByText("There is no operation at this path (").waitFor();
    await press("[");
    await opened(10);
    await press("}");
    await opened(11);
    // Enter presses the button that has the focus.
    await page.getByRole("button", { name: "Older exchange" }).focus();
    await press("Enter");
    await opened(10);
    await press("]");
    await opened(11);
    await press("2");
    await page.getByRole("tab", { name: "State", selected: true }).waitFor();
    await press("1");
    await page.getByRole("tab", { name: "Exchange", selected: true }).waitFor();
    await press("Escape");
    await page.locator(".panel").waitFor({ state: "detached" });
    expect(await focused(page)).toBe("Exchanges, newest first");
    await press("ArrowDown", "Enter");
    await opened(10);
    await page.locator(".list").focus();
    await press("PageDown");
    await opened(1);
    await press("/");
    await page.keyboard.type("nothing");
    await page.locator("#row-10").waitFor({ state: "detached" });
    // In a field, letters are letters, also later, and Escape leaves it.
    await page.getByLabel("Text").fill("");
    await page.keyboard.type("g");
    await page.locator("#row-11").click();
    await press("w");
    await page.locator(".list").waitFor();
    await press("Escape", "g", "w");
    await page.getByRole("tab", { name: "Clock", selected: true }).waitFor();
    await press("g", "t");
    await page.getByRole("heading", { name: "The books" }).waitFor();
    await press("g", "l");
    await page.locator("#row-11").waitFor();
    await press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    expect(complaints).toEqual([]);
    await close();
  });

  test("reaches tabs and forms with Tab and the arrow keys", async () => {
    const { page, world, open, close } = await visit(browser);
    await open("#view=world");
    const before = world.clock.now();
    await tabTo(page, "Clock");
    await page.keyboard.press("ArrowRight");
    await page.getByRole("tab", { name: "Assumptions", selected: true }).waitFor();
    expect(await focused(page)).toBe("Assumptions");
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("button", { name: "+ 1h" }).waitFor();
    await tabTo(page, "+ 1h");
    await page.keyboard.press("Enter");
    await expect.poll(() => world.clock.now() - before).toBe(3_600_000);
    await close();
  });

  test("shows where the focus is", async () => {
    const { page, open, close } = await visit(browser);
    await open("#view=world");
    await page.keyboard.press("Tab");
    const outline = await page.evaluate(
      () => getComputedStyle(document.activeElement ?? document.body).outlineStyle,
    );
    expect(outline).toBe("solid");
    await close();
  });
});
