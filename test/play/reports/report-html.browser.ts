/** The report as a page in a real browser: charts, colours, and that nothing in it is markup. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { readChartLibrary } from "../../../src/cli/play/write-reports.ts";
import { createTally } from "../../../src/play/measure/tally.ts";
import type { PlayResult } from "../../../src/play/player/result.ts";
import { reportHtml } from "../../../src/play/reports/report-html.ts";
import { launch } from "../../chromium.ts";
import { brokenResult, failed, HOSTILE, playResult, stepResult } from "./play-results.ts";

const library = await readChartLibrary();
let browser: Browser;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "adsim-report-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Opened {
  readonly page: Page;
  /** What the browser complained of. */
  readonly complaints: readonly string[];
  /** Addresses that the page requested, except its own. */
  readonly requests: readonly string[];
}

async function open(result: PlayResult, options: BrowserContextOptions = {}): Promise<Opened> {
  const file = join(folder, "report.html");
  await writeFile(file, reportHtml(result, library));
  const url = pathToFileURL(file).href;
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options });
  onTestFinished(() => page.close());
  const [complaints, requests]: [string[], string[]] = [[], []];
  page.on("console", (message) => {
    if (message.type() !== "log") complaints.push(message.text());
  });
  page.on("pageerror", (error) => {
    complaints.push(error.message);
  });
  page.on("request", (request) => {
    if (request.url() !== url && request.url() !== "data:,") requests.push(request.url());
  });
  await page.goto(url);
  return { page, complaints, requests };
}

/** How many pixels of the chart's canvas have the colour of this property. */
function pixelsOf(page: Page, chart: string, property: string): Promise<number> {
  return page.evaluate(
    ([id, name]) => {
      const style = getComputedStyle(document.documentElement).getPropertyValue(name ?? "");
      const [red, green, blue] = [1, 3, 5].map((at) =>
        Number.parseInt(style.slice(at, at + 2), 16),
      );
      const canvas = document.querySelector<HTMLCanvasElement>(`#chart-${id} canvas`);
      if (canvas === null) return 0;
      // Read from a copy: the browser complains if the canvas that is drawn on is read often.
      const copy = new OffscreenCanvas(canvas.width, canvas.height);
      const context = copy.getContext("2d", { willReadFrequently: true });
      context?.drawImage(canvas, 0, 0);
      const drawn = context?.getImageData(0, 0, canvas.width, canvas.height).data;
      let count = 0;
      for (let at = 0; drawn !== undefined && at < drawn.length; at += 4) {
        const isIt = drawn[at] === red && drawn[at + 1] === green && drawn[at + 2] === blue;
        if (isIt && drawn[at + 3] === 255) count += 1;
      }
      return count;
    },
    [chart, property] as const,
  );
}

const DRAWN = [
  ["rate", "--series-1"],
  ["rate", "--series-2"],
  ["latency", "--series-1"],
  ["latency", "--series-3"],
  ["statuses", "--status-2a"],
  ["statuses", "--status-5a"],
  ["statuses", "--status-none"],
  ["revenue", "--series-2"],
] as const;

describe("in a browser", () => {
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  test("each chart is drawn, without a complaint and without a request", async () => {
    const { page, complaints, requests } = await open(brokenResult());
    for (const [chart, property] of DRAWN) {
      expect(await pixelsOf(page, chart, property), `${chart} ${property}`).toBeGreaterThan(40);
    }
    expect(await page.locator("canvas").count()).toBe(4);
    expect(complaints).toEqual([]);
    expect(requests).toEqual([]);
  });

  test("the page is dark if the reader prefers that, and follows a change", async () => {
    const { page, complaints } = await open(playResult(), { colorScheme: "dark" });
    const background = (): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(await background()).toBe("rgb(18, 22, 27)");
    expect(await pixelsOf(page, "rate", "--series-1")).toBeGreaterThan(40);
    await page.emulateMedia({ colorScheme: "light" });
    expect(await background()).toBe("rgb(244, 245, 247)");
    await vi.waitFor(async () => {
      expect(await pixelsOf(page, "rate", "--series-1")).toBeGreaterThan(40);
    });
    expect(await page.locator("canvas").count()).toBe(4);
    expect(complaints).toEqual([]);
  });

  test("the page fits a phone, and charts follow the width", async () => {
    const { page } = await open(brokenResult(), { viewport: { width: 390, height: 800 } });
    const widths = (): Promise<readonly number[]> =>
      page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.querySelector("canvas")?.getBoundingClientRect().width ?? 0,
      ]);
    const [whole, canvas = 0] = await widths();
    expect(whole).toBe(390);
    expect(canvas).toBeGreaterThan(250);
    await page.setViewportSize({ width: 700, height: 800 });
    await vi.waitFor(async () => {
      expect((await widths())[1]).toBeGreaterThan(canvas + 250);
    });
  });

  test("failed steps are open, and the rest opens on a click", async () => {
    const { page } = await open(brokenResult());
    expect(await page.getByText("authorization: (redacted)").first().isVisible()).toBe(false);
    const step = page.locator("tr", { hasText: "impression as second" }).locator("+ tr");
    expect(await step.getByText("503", { exact: true }).isVisible()).toBe(true);
    expect(await step.getByText("#7 2026-01-15").isVisible()).toBe(true);
    await page.getByText("1 expected, request and answer").first().click();
    expect(await page.getByText('{"ok":true}').isVisible()).toBe(true);
  });

  test("tables have headings, and charts have a label and a table of their figures", async () => {
    const { page } = await open(brokenResult());
    const bare = await page.evaluate(
      () =>
        Array.from(document.querySelectorAll("table.rows")).filter(
          (table) =>
            table.querySelector('thead th[scope="col"]') === null ||
            table.querySelector('tbody th[scope="row"]') === null,
        ).length,
    );
    expect(bare).toBe(0);
    const rate = page.getByRole("img", { name: "Requests over time: sent up to" });
    expect(await rate.count()).toBe(1);
    await page.getByText("The same as a table").click();
    expect(await page.getByRole("rowheader", { name: "0 s", exact: true }).isVisible()).toBe(true);
  });

  test("text of a scenario or a service is never taken for markup", async () => {
    const check = { ...failed, about: HOSTILE, expected: HOSTILE, found: HOSTILE, why: HOSTILE };
    const [step] = brokenResult().steps.filter(({ result }) => result === "failed");
    const { exchange } = stepResult(step);
    const hostile = brokenResult({
      scenario: { name: HOSTILE, about: HOSTILE },
      ...{ why: HOSTILE, digest: HOSTILE, reproduce: HOSTILE },
      steps: [
        stepResult({
          ...{ path: HOSTILE, title: HOSTILE, at: HOSTILE, why: HOSTILE, result: "failed" },
          checks: [check],
          ...(exchange === undefined
            ? {}
            : { exchange: { ...exchange, body: HOSTILE, headers: { [HOSTILE]: HOSTILE } } }),
        }),
      ],
      skipped: [{ path: HOSTILE, why: HOSTILE }],
      invariants: [{ id: HOSTILE, says: HOSTILE, result: "failed", why: HOSTILE }],
      thresholds: [{ threshold: HOSTILE, result: "failed", found: HOSTILE }],
      target: { kind: "service", url: HOSTILE, time: "real", speed: 1 },
    });
    const [bucket] = hostile.timeline.buckets;
    const buckets = bucket === undefined ? [] : [{ ...bucket, statuses: { [HOSTILE]: 5 } }];
    const { page, complaints } = await open({ ...hostile, timeline: { bucketMs: 100, buckets } });
    expect(await page.evaluate(() => Object.hasOwn(window, "owned"))).toBe(false);
    const counts = ["script", "img", "style"].map((name) => page.locator(name).count());
    expect(await Promise.all(counts)).toEqual([3, 0, 1]);
    expect(await page.locator("h1").textContent()).toContain("</script><script>window.owned=1");
    expect(await page.locator("canvas").count()).toBe(4);
    expect(complaints).toEqual([]);
  });

  test("nothing that gets into the page can run, or reach a network", async () => {
    const { page } = await open(playResult());
    const refused = await page.evaluate(async () => {
      const directives = new Set<string>();
      document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
        directives.add(effectiveDirective);
      });
      const place = document.createElement("div");
      document.body.append(place);
      place.innerHTML = `<img src="http://127.0.0.1:9/x"><p onclick="window.owned=1">click</p>`;
      place.querySelector("p")?.click();
      const script = document.createElement("script");
      script.textContent = "window.owned=1";
      document.body.append(script);
      await fetch("http://127.0.0.1:9/").catch(() => undefined);
      // Each of the four violations is reported in a task of its own.
      for (let turn = 0; turn < 250 && directives.size < 4; turn += 1) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return [...directives].sort();
    });
    expect(refused).toEqual(["connect-src", "img-src", "script-src-attr", "script-src-elem"]);
    expect(await page.evaluate(() => Object.hasOwn(window, "owned"))).toBe(false);
  });

  test("a run of one bucket, or with gaps between buckets, has charts, and one without requests has none", async () => {
    const [bucket] = playResult().timeline.buckets;
    const one = { bucketMs: 100, buckets: bucket === undefined ? [] : [bucket] };
    const short = await open(playResult({ timeline: one }));
    expect(await pixelsOf(short.page, "rate", "--series-1")).toBeGreaterThan(40);
    expect(short.complaints).toEqual([]);
    const far = playResult().timeline.buckets.map((each, at) => ({ ...each, atMs: at * 1000 }));
    const sparse = await open(playResult({ timeline: { bucketMs: 100, buckets: far } }));
    expect(await pixelsOf(sparse.page, "latency", "--series-3")).toBeGreaterThan(40);
    const nothing = playResult({
      ...{ latency: undefined, tally: createTally().summary() },
      timeline: { bucketMs: 100, buckets: [] },
    });
    const empty = await open(nothing);
    expect(await empty.page.getByText("No requests were sent").isVisible()).toBe(true);
    expect(await empty.page.locator("canvas, script").count()).toBe(0);
    expect(empty.complaints).toEqual([]);
  });
});
