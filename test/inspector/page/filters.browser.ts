/** What a filter lets pass and counts, what a link makes of it, and what stays in view. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launch } from "../../chromium.ts";
import { visibleRows, visit } from "./visit.ts";

describe("filters", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  test("a number is one exchange, and the link of a fault rule shows that rule's exchanges", async () => {
    const { page, world, impression, open, go, close } = await visit(browser);
    for (let number = 1; number <= 12; number += 1) {
      world.faults.add({ match: { nth: 1 }, verdict: { kind: "respond", status: 503 } });
      impression(`s-${number}`);
    }
    await open();
    const text = page.getByLabel("Text");
    for (const [wanted, rows] of [
      ["#1", [1]],
      ["#12", [12]],
      ["rule:rule-1", [1]],
    ] as const) {
      await text.fill(wanted);
      await expect.poll(() => visibleRows(page), { message: wanted }).toEqual(rows);
    }
    await go("#view=world&section=faults");
    await page.getByRole("link", { name: "rule-1", exact: true }).click();
    await expect.poll(() => visibleRows(page)).toEqual([1]);
    await close();
  });

  test("a link that filters replaces the whole filter", async () => {
    const { page, publisher, impression, open, close } = await visit(browser);
    impression("a");
    await open("#text=zzz&status=5xx&view=world&section=publishers");
    await page.locator("summary").filter({ hasText: publisher.id }).click();
    await page.getByRole("link", { name: "its exchanges" }).first().click();
    await expect.poll(() => visibleRows(page)).toEqual([1]);
    expect(new URL(page.url()).hash).toBe(`#publisher=${publisher.id}`);
    await close();
  });

  test("the count beside the filter is that of exchanges", async () => {
    const { page, world, impression, open, close } = await visit(browser);
    for (const session of ["a", "b", "c"]) {
      world.clock.advance("1h");
      impression(session);
    }
    await open("#books=1");
    await page.getByText("3 of 3", { exact: true }).waitFor();
    await close();
  });

  test("the open row stays in view when the filter is cleared", async () => {
    const { page, world, impression, open, close } = await visit(browser);
    for (let sent = 0; sent < 20; sent += 1) impression(`s-${sent}`);
    for (let sent = 0; sent < 200; sent += 1) world.handle({ method: "GET", path: "/v1/nothing" });
    await open("#operation=impression&at=10");
    await expect.poll(() => visibleRows(page)).toContain(10);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByText("of 220").first().waitFor();
    await expect.poll(() => visibleRows(page)).toContain(10);
    // What comes doesn't move it.
    const before = await visibleRows(page);
    impression("later");
    await page.getByRole("button", { name: "1 new" }).waitFor();
    expect(await visibleRows(page)).toEqual(before);
    // Without an open row, another selection begins at the top.
    await page.keyboard.press("Escape");
    await page.getByRole("combobox", { name: "Status" }).selectOption("4xx");
    await expect.poll(async () => (await visibleRows(page))[0]).toBe(220);
    await close();
  });

  test.each([1280, 400])(
    "beside the panel or at %i px, rows of different days differ",
    async (width) => {
      const { page, world, impression, open, close } = await visit(browser, { width });
      impression("a");
      world.clock.advance("3d");
      impression("b");
      await open(width === 400 ? "" : "#at=1");
      const times = page.locator(".row[id] .time");
      await times.nth(1).waitFor();
      expect(await times.allInnerTexts()).toEqual([
        expect.stringContaining("01-18 "),
        expect.stringContaining("01-15 "),
      ]);
      const cut = await times.evaluateAll((all) =>
        all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth),
      );
      expect(cut).toEqual([]);
      await close();
    },
  );

  test("the picture of failures counts a request once, also if a limit answers 503", async () => {
    const { page, world, publisher, open, close } = await visit(browser);
    world.assume({ "limit.exceeded": "503" });
    const headers = { authorization: `Bearer ${publisher.apiKey}` };
    for (let sent = 0; sent < 65; sent += 1) {
      world.handle({ method: "GET", path: "/v1/publisher/payouts", headers });
    }
    await open("#view=truth");
    await page
      .getByRole("img", {
        name: /^Refused .*: recording limit 0, reporting limit 5, 5xx or no answer 0\./,
      })
      .waitFor();
    await close();
  });
});
