/** Where the focus, the progress and the errors of actions are. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer } from "../../../src/server.ts";
import { launch } from "../../chromium.ts";
import { visit } from "./visit.ts";

const DAY_MS = 86_400_000;

describe("actions", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  function focused(page: Page): Promise<string> {
    return page.evaluate(() => {
      const { activeElement } = document;
      return `${activeElement?.tagName} ${activeElement?.textContent?.trim()}`;
    });
  }

  test("a button that was pressed keeps the focus, and can be pressed again", async () => {
    const { page, world, impression, publisher, open, go, close } = await visit(browser);
    impression("a");
    impression("b");
    await open("#view=world");
    const start = world.clock.now();
    await page.getByRole("button", { name: "+ 1d" }).focus();
    for (const days of [1, 2, 3]) {
      await page.keyboard.press("Enter");
      await expect.poll(() => world.clock.now() - start).toBe(days * DAY_MS);
      await page.locator("button[aria-disabled=true]").waitFor({ state: "detached" });
    }
    await go("view=world&section=publishers");
    await page.locator("summary").filter({ hasText: publisher.id }).click();
    await page.getByRole("button", { name: "pause" }).first().focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toBe("BUTTON activate");
    await go("at=1");
    await page.getByRole("button", { name: "One entry forward" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "#2" }).waitFor();
    await page.keyboard.press("Enter");
    expect(await focused(page)).toBe("BUTTON ›");
    await close();
  });

  test("while an action runs, its button can't be pressed", async () => {
    const { page, world, open, close } = await visit(browser);
    await open("#view=world");
    const start = world.clock.now();
    const hold = Promise.withResolvers<void>();
    await page.route("**/clock/advance", async (route) => {
      await hold.promise;
      await route.continue();
    });
    const button = page.getByRole("button", { name: "+ 1d" });
    await button.focus();
    for (const key of ["Enter", "Enter", " "]) await page.keyboard.press(key);
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    hold.resolve();
    await page.locator("button[aria-disabled=true]").waitFor({ state: "detached" });
    expect(world.clock.now() - start).toBe(DAY_MS);
    await close();
  });

  test("if the pressed button disappears, the focus goes to what stands next to it", async () => {
    const { page, world, open, go, close } = await visit(browser);
    for (const id of ["a", "b", "c"]) world.faults.add({ id, verdict: { kind: "drop" } });
    await open("#view=world&section=faults");
    await page.getByRole("button", { name: "remove", exact: true }).nth(1).focus();
    for (const left of [2, 1]) {
      await page.keyboard.press("Enter");
      await expect
        .poll(() => page.getByRole("button", { name: "remove", exact: true }).count())
        .toBe(left);
      await expect.poll(() => focused(page)).toBe("BUTTON remove");
    }
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toBe("H3 Rules in force");
    await go("view=world&section=assumptions&search=dedup.repeat");
    await page.locator("summary").first().click();
    await page.getByRole("button", { name: "choose" }).first().focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => world.assumptions["dedup.repeat"]).not.toBe("original");
    await expect.poll(() => focused(page)).toBe("BUTTON choose");
    await go("view=world&section=publishers");
    await page.getByRole("button", { name: "Sign up" }).focus();
    await page.keyboard.press("Enter");
    await page.locator("details[open]").waitFor();
    await expect.poll(() => focused(page)).toBe("BUTTON Sign up");
    await close();
  });

  test("a play goes on while the user is elsewhere: its progress and its verdict are there later", async () => {
    const { page, open, go, close } = await visit(browser);
    const hold = Promise.withResolvers<void>();
    await page.route("**/scenarios/play", async (route) => {
      if (route.request().method() === "POST") await hold.promise;
      await route.continue();
    });
    const scenarios = "view=world&section=scenarios&scenario=lost-ack";
    await open(`#${scenarios}`);
    await page.getByRole("button", { name: "play" }).click();
    await page.getByRole("button", { name: "play, and replace this world?" }).click();
    await page.getByText("Playing lost-ack").waitFor();
    await go("view=world&section=clock");
    await page.getByRole("button", { name: "+ 1d" }).waitFor();
    await go(scenarios);
    await page.getByText("Playing lost-ack").waitFor();
    const play = page.getByRole("button", { name: "play" });
    expect(await play.getAttribute("aria-disabled")).toBe("true");
    await go("view=world&section=clock");
    await page.getByRole("button", { name: "+ 1d" }).waitFor();
    hold.resolve();
    await page.getByText("lost-ack: passed.").waitFor({ state: "attached" });
    await go(scenarios);
    await page.getByRole("heading", { name: "lost-ack: passed" }).waitFor();
    await page.locator("button[aria-disabled=true]").waitFor({ state: "detached" });
    await close();
  });

  test("a play that another page started is shown, and one that fails says why", async () => {
    const { page, open, close } = await visit(browser);
    let playing: object | null = { name: "happy-month", step: 3, steps: 9, requests: 40 };
    await page.route("**/scenarios/play", (route) =>
      route.request().method() === "POST"
        ? route.fulfill({ status: 400, json: { detail: "Not now." } })
        : route.fulfill({ json: { playing } }),
    );
    await open("#view=world&section=scenarios&scenario=lost-ack");
    await page.getByText("Playing happy-month: step 3 of 9, 40 requests").waitFor();
    playing = null;
    await page.getByText("Playing").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "play" }).click();
    await page.getByRole("button", { name: "play, and replace this world?" }).click();
    await page.getByRole("alert").filter({ hasText: "Not now." }).waitFor();
    await close();
  });

  test("why an exchange can't be copied as a step is said until the next press", async () => {
    const { page, world, impression, open, go, close } = await visit(browser);
    impression("a");
    world.handle({ method: "OPTIONS", path: "*" });
    await open("#at=2");
    const copy = page.getByRole("button", { name: "Copy as scenario step" });
    await copy.click();
    const alert = page.getByRole("alert");
    await alert.waitFor();
    // Longer than a note that something was copied stays.
    await page.waitForTimeout(2000);
    expect(await alert.innerText()).toMatch(/\w/);
    expect(await copy.isVisible()).toBe(true);
    await go("at=1");
    await page.getByRole("heading", { name: "#1" }).waitFor();
    await alert.waitFor({ state: "detached" });
    await copy.click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    await close();
  });

  test("a copy button keeps the focus where pages have no clipboard of their own, as over http", async () => {
    const { page, impression, open, close } = await visit(browser);
    await page.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, "clipboard", { value: undefined });
    });
    impression("a");
    await open("#at=1");
    const button = page.getByRole("button", { name: "Copy as curl" });
    await button.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Cop/);
    await close();
  });

  test("an address with the control token works, and leads to the one without it", async () => {
    const server = await startServer({ port: 0, controlToken: "s3cret" });
    const page = await browser.newPage();
    const { host } = new URL(server.url);
    await page.goto(`http://x:s3cret@${host}/_sim/#view=truth`);
    await page.getByRole("heading", { name: "The books" }).waitFor();
    expect(page.url()).toBe(`http://${host}/_sim/#view=truth`);
    await page.close();
    await server.close();
  });
});
