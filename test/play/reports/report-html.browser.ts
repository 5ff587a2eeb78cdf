/** The report as a page in a real browser: it fits a phone, follows the theme, runs nothing and requests nothing. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { reportHtml } from "../../../src/play/reports/report-html.ts";
import { launch } from "../../chromium.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { brokenResult, playResult } from "./play-results.ts";

let browser: Browser;

async function open(html: string, options: BrowserContextOptions = {}): Promise<Page> {
  const file = join(temporaryFolder(), "report.html");
  await writeFile(file, html);
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options });
  onTestFinished(() => page.close());
  const [complaints, requests]: [string[], string[]] = [[], []];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(file).href);
  expect(complaints).toEqual([]);
  expect(requests.filter((url) => !url.startsWith("file:") && url !== "data:,")).toEqual([]);
  return page;
}

describe("in a browser", () => {
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  test("the page is dark if the reader prefers that, and every drawing has its colour", async () => {
    const page = await open(reportHtml(playResult()), { colorScheme: "dark" });
    const colours = (): Promise<readonly string[]> =>
      page.evaluate(() => [
        getComputedStyle(document.body).backgroundColor,
        ...Array.from(document.querySelectorAll("path"), (path) => getComputedStyle(path).fill),
      ]);
    const [background, ...fills] = await colours();
    expect(background).toBe("rgb(18, 22, 27)");
    expect(fills.length).toBeGreaterThan(5);
    expect(fills).not.toContain("rgb(0, 0, 0)");
    await page.emulateMedia({ colorScheme: "light" });
    expect((await colours())[0]).toBe("rgb(244, 245, 247)");
  });

  test("the page fits a phone, with charts as wide as it", async () => {
    const page = await open(reportHtml(brokenResult()), { viewport: { width: 400, height: 800 } });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400);
    const box = await page.locator("svg").first().boundingBox();
    expect(box?.width).toBeGreaterThan(300);
  });

  test("failed steps are open, and the rest opens on a click", async () => {
    const page = await open(reportHtml(brokenResult()));
    expect(await page.getByText("#7 2026-01-15").isVisible()).toBe(true);
    expect(await page.getByText('{"ok":true}').isVisible()).toBe(false);
    await page.getByText("details").first().click();
    expect(await page.getByText('{"ok":true}').isVisible()).toBe(true);
  });

  test("a script that got into the page couldn't run", async () => {
    const injected = "<script>document.title='owned'</script>";
    const html = reportHtml(playResult()).replace("<main>", `<main>${injected}`);
    const file = join(temporaryFolder(), "report.html");
    await writeFile(file, html);
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(pathToFileURL(file).href);
    expect(await page.locator("script").count()).toBe(1);
    expect(await page.title()).toContain("late-click");
  });
});
