/** The file form in a real browser, opened from disk with the network off. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import type { ApiRequest } from "../../src/spec/messages.ts";
import { launch } from "../chromium.ts";
import { temporaryFolder } from "../temporary-folder.ts";

interface Opened {
  readonly page: Page;
  /** What the browser complained about: errors of scripts, and of the policy. */
  readonly complaints: string[];
  /** Everything that it loaded, or tried to. */
  readonly requests: string[];
  go(hash: string): Promise<void>;
}

async function openFile(browser: Browser, html: string, hash = ""): Promise<Opened> {
  const file = join(temporaryFolder(), "trace.html");
  writeFileSync(file, html);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  onTestFinished(() => context.close());
  await context.setOffline(true);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on("console", (message) => complaints.push(message.text()));
  page.on("request", (request) => requests.push(request.url()));
  const url = pathToFileURL(file).href;
  await page.goto(url + hash);
  await page.locator(".file").waitFor();
  return {
    page,
    complaints,
    get requests() {
      return requests.filter((one) => one.split("#")[0] !== url);
    },
    async go(to) {
      await page.evaluate((place) => {
        location.hash = place;
      }, to);
    },
  };
}

function impression(sim: Simulator, session: string, more: Partial<ApiRequest> = {}): ApiRequest {
  const { id, apiKey, surfaces } = sim.publishers.at(0);
  const event = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad", session_id: session };
  return {
    method: "POST",
    path: "/v1/impression",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(event),
    ...more,
  };
}

describe("the file form", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  test("shows the rows, exchanges and moments of a session as the server did, and loads nothing", async () => {
    const sim = createSimulator({ seed: "file" });
    for (let number = 1; number <= 30; number += 1) {
      sim.handle(impression(sim, `s-${number % 9}`));
      if (number % 10 === 0) sim.clock.advance("1h");
    }
    const html = await sim.trace({ title: "A & B <i>" });
    const { page, complaints, requests, go } = await openFile(browser, html);
    await page.locator("#row-30").waitFor();
    await page.getByText("This file only shows what was recorded").waitFor();
    const { id } = sim.publishers.at(0);
    for (const at of [30, 7, 21]) {
      await go(`#at=${at}&tab=state`);
      await page.getByRole("button", { name: /^Show all/ }).click();
      const then = sim.fork({ after: at });
      const { books } = then.audit().publishers.find(({ publisher }) => publisher === id) ?? {};
      const revenue = page.getByRole("row", { name: "revenue in all" });
      await expect.poll(() => revenue.innerText()).toContain(`₹${books?.revenueInr}`);
    }
    // The thirtieth repeats an earlier one.
    await go("#at=30");
    await page.locator(".headline").filter({ hasText: "duplicate of #" }).waitFor();
    expect([complaints, requests]).toEqual([[], []]);
  });

  test("shows every view, without what takes a server", async () => {
    const sim = createSimulator({ seed: "file" });
    sim.faults.add({ verdict: { kind: "drop" }, match: { nth: 2 } });
    for (const session of ["a", "b", "c"]) sim.handle(impression(sim, session));
    const { page, complaints, go } = await openFile(browser, await sim.trace());
    const sections = ["faults", "assumptions", "publishers"];
    const places = ["at=3", "at=3&tab=state", "at=3&tab=what-if", "view=findings"];
    for (const place of [...places, ...sections.map((one) => `view=world&section=${one}`)]) {
      await go(`#${place}`);
      await page.locator("main .side").first().waitFor();
      await expect.poll(() => page.getByText("Loading …").count()).toBe(0);
      expect(await page.locator(".problem, form.action").count(), place).toBe(0);
    }
    expect(await page.getByRole("link", { name: "Scenarios" }).count()).toBe(0);
    await go("#at=3");
    expect(await page.getByRole("link", { name: "What if" }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("says of a world that it doesn't hold that it isn't there, and leads to those that it has", async () => {
    const sim = createSimulator({ seed: "file" });
    sim.handle(impression(sim, "a"));
    const { page, complaints } = await openFile(browser, await sim.trace(), "#world=typo");
    await page
      .getByRole("alert")
      .filter({ hasText: "doesn't hold a world typo" })
      .first()
      .waitFor();
    await page.locator(".start").getByRole("link", { name: "default" }).click();
    await page.locator("#row-1").waitFor();
    expect(complaints).toEqual([]);
  });

  test("whatever was sent neither breaks the file nor becomes markup", async () => {
    const sim = createSimulator({ seed: "</script><script>globalThis.attacked=1</script>" });
    const hostile = [
      "</script><script>globalThis.attacked = 1</script>",
      "<!--<script>",
      "]]><img src=x onerror=globalThis.attacked=1>",
      "\u2028\u2029\u0000\ud800\udc00\ud800",
      "</SCRIPT\t>\"'`+globalThis.attacked=1+`\\u003c",
    ];
    const { id } = sim.publishers.at(0);
    for (const text of hostile) {
      sim.handle(impression(sim, text));
      sim.handle({
        method: text,
        path: `/v1/${text}`,
        query: `publisher_id=${text}&session_id=${text}`,
        headers: { "user-agent": text, "content-type": text, origin: text },
        body: JSON.stringify({ publisher_id: id, ad_id: text, surface: text }) + text,
      });
      sim.publishers.signUp({ name: text.toWellFormed(), surfaces: [text.toWellFormed()] });
      sim.faults.add({
        verdict: { kind: "respond", status: 200, body: { text: text.toWellFormed() } },
        match: { nth: 99 },
      });
    }
    const title = hostile.join("");
    const { page, complaints, requests, go } = await openFile(browser, await sim.trace({ title }));
    const rows = hostile.length * 2;
    await page.locator(`#row-${rows}`).waitFor();
    for (let at = 1; at <= rows; at += 1) {
      await go(`#at=${at}`);
      await page.getByRole("complementary", { name: `Exchange ${at}`, exact: true }).waitFor();
    }
    const found = await page.evaluate(() => ({
      attacked: Reflect.get(globalThis, "attacked"),
      scripts: document.querySelectorAll("script").length,
      foreign: document.querySelectorAll("img, iframe").length,
    }));
    expect(found).toEqual({ attacked: undefined, scripts: 2, foreign: 0 });
    expect([complaints, requests]).toEqual([[], []]);
  });
});
