/** The report as a page in a real browser: it fits a phone, follows the theme, runs nothing and requests nothing. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { reportHtml } from "../../../src/play/reports/report-html.ts";
import { launch } from "../../chromium.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { brokenResult } from "./play-results.ts";

test("the page fits a phone, light or dark, shows what failed, and no script runs in it", async () => {
  const browser = await launch();
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 400, height: 800 } });
  const [complaints, requests]: [string[], string[]] = [[], []];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("request", (request) => requests.push(request.url()));
  const file = join(temporaryFolder(), "report.html");
  await writeFile(file, reportHtml(brokenResult()));
  const url = pathToFileURL(file).href;
  await page.goto(url);
  expect([complaints, requests]).toEqual([[], [url]]);

  for (const [colorScheme, background] of [
    ["light", "rgb(244, 245, 247)"],
    ["dark", "rgb(18, 22, 27)"],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    const looks = await page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      background: getComputedStyle(document.body).backgroundColor,
      lines: Array.from(document.querySelectorAll("path"), (path) => getComputedStyle(path).stroke),
    }));
    expect(looks).toMatchObject({ width: 400, background });
    expect(new Set(looks.lines).size).toBe(4);
    expect((await page.locator("svg").first().boundingBox())?.width).toBeGreaterThan(300);
  }
  expect(await page.getByText("#7 2026-01-15").isVisible()).toBe(true);
  expect(await page.getByText('{"ok":true}').isVisible()).toBe(false);
  await page.getByText("details").first().click();
  expect(await page.getByText('{"ok":true}').isVisible()).toBe(true);

  const injected = "<main><script>document.title='owned'</script>";
  await writeFile(file, reportHtml(brokenResult()).replace("<main>", injected));
  await page.goto(url);
  expect(await page.title()).toContain("late-click");
});
