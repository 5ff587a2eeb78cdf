/** The file form in a real browser, opened from disk with the network off. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import type { Engine } from "../../src/inspector/engine-worlds.ts";
import type { ApiRequest } from "../../src/spec/messages.ts";
import { launch } from "../chromium.ts";
import { temporaryFolder } from "../temporary-folder.ts";

interface InFile {
  readonly adsimTrace: Engine;
}

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
  await page.locator(".connection").filter({ hasText: "recorded" }).waitFor();
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

  test("shows the rows, moments and what-ifs of a session, and loads nothing", async () => {
    const sim = createSimulator({ seed: "file" });
    for (let number = 1; number <= 30; number += 1) {
      sim.handle(impression(sim, `s-${number % 9}`));
      if (number % 10 === 0) sim.clock.advance("1h");
    }
    const html = await sim.trace({ title: "A & B <i>" });
    const { page, complaints, requests, go } = await openFile(browser, html);
    await page.locator("#row-30").waitFor();
    const { id } = sim.publishers.at(0);
    for (const at of [30, 7, 21]) {
      await go(`#at=${at}&tab=state`);
      await page.getByText(`after #${at}`).waitFor();
      const then = sim.fork({ after: at });
      const { books } = then.audit().publishers.find(({ publisher }) => publisher === id) ?? {};
      const revenue = page.locator("dl > div").filter({ hasText: "Revenue" }).locator("dd");
      await expect.poll(() => revenue.first().innerText()).toBe(`₹${books?.revenueInr}`);
    }
    // The thirtieth repeats an earlier one.
    await go("#at=30&tab=what-if");
    const conflict = page.locator("details").filter({ hasText: "dedup.repeat" });
    await conflict.filter({ hasText: "409" }).first().waitFor();
    await go("#view=truth");
    await page.locator("main .sheet").first().waitFor();
    expect(complaints).toEqual([]);
    expect(requests).toEqual([]);
  });

  test("lets hands change its worlds, and go on from a moment", async () => {
    const sim = createSimulator({ seed: "file" });
    for (const session of ["a", "b", "c"]) sim.handle(impression(sim, session));
    const { page, complaints } = await openFile(browser, await sim.trace(), "#at=2&tab=state");
    await page.getByRole("button", { name: "Make a world" }).click();
    await page.getByRole("link", { name: "open it" }).click();
    await page.locator(".world").filter({ hasText: "from-2" }).waitFor();
    const asked = await page.evaluate(() => {
      const { handle } = (globalThis as unknown as InFile).adsimTrace;
      const ask = (method: string, path: string, body?: object): string =>
        handle({
          method,
          path,
          headers: { "content-type": "application/json" },
          ...(body && { body: JSON.stringify(body) }),
        }).body;
      return [
        ask("GET", "/@from-2/_sim/audit"),
        ask("POST", "/@from-2/_sim/clock/advance", { by: "1d" }),
        ask("GET", "/_sim/clock"),
      ].map((body) => JSON.parse(body));
    });
    expect(asked).toMatchObject([
      { total: { applied: 2 } },
      { now: "2026-01-16T00:00:00.000Z" },
      { now: "2026-01-15T00:00:00.000Z", mode: "frozen" },
    ]);
    expect(complaints).toEqual([]);
  });

  test("says that a clock that ran stands still, in the worlds that are made in it too", async () => {
    const sim = createSimulator({ seed: "file", clock: "flowing", wallClock: Date.now });
    sim.handle(impression(sim, "a"));
    const { page, go } = await openFile(browser, await sim.trace(), "#at=1&tab=state");
    await page.getByText("with this state and a clock that stands still").waitFor();
    await page.getByRole("button", { name: "Make a world" }).click();
    await page.getByRole("link", { name: "open it" }).click();
    await page.locator(".world").filter({ hasText: "from-1" }).waitFor();
    await page.locator(".now").filter({ hasText: "frozen" }).waitFor();
    await go("#world=from-1&view=world");
    await page.getByText("In a file the clock stands still").waitFor();
    expect(await page.getByLabel("Mode").count()).toBe(0);
  });

  test("doesn't make worlds up: of one that it doesn't hold it says so, and leads to those that it has", async () => {
    const sim = createSimulator({ seed: "file" });
    sim.handle(impression(sim, "a"));
    const { page, complaints, go } = await openFile(browser, await sim.trace(), "#world=typo");
    await page
      .getByRole("alert")
      .filter({ hasText: "doesn't hold a world typo" })
      .first()
      .waitFor();
    await page.getByRole("link", { name: "The other worlds" }).click();
    await page.getByRole("table").getByText("default").waitFor();
    expect(await page.getByRole("table").getByText("typo").count()).toBe(0);
    await go("#view=world&section=scenarios");
    await page.getByRole("tab", { name: "Clock", selected: true }).waitFor();
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
      sim.handle({ method: "GET", path: text, body: new TextEncoder().encode(`${text}\u00ff`) });
      sim.publishers.signUp({ name: text.toWellFormed(), surfaces: [text.toWellFormed()] });
      sim.faults.add({
        verdict: { kind: "respond", status: 200, body: { text: text.toWellFormed() } },
        match: { nth: 99 },
      });
    }
    const title = hostile.join("");
    const { page, complaints, requests } = await openFile(browser, await sim.trace({ title }));
    await page.locator(`#row-${hostile.length * 3}`).waitFor();
    const found = await page.evaluate(() => {
      const { title, notes, handle } = (globalThis as unknown as InFile).adsimTrace;
      return {
        attacked: Reflect.get(globalThis, "attacked"),
        scripts: document.querySelectorAll("script").length,
        foreign: document.querySelectorAll("img, iframe").length,
        title,
        notes: notes("default"),
        journal: handle({ method: "GET", path: "/_sim/journal?limit=1000" }).body,
      };
    });
    expect(found).toMatchObject({ attacked: undefined, scripts: 3, foreign: 0 });
    expect(found.title).toBe(title);
    // What is to know about the recording can be read.
    await page.getByText("About this recording").click();
    await page.getByRole("listitem").filter({ hasText: "replaced before saving" }).waitFor();
    expect(found.notes.filter((note) => !note.includes("before saving"))).toEqual([]);
    const answers = (text: string): unknown =>
      JSON.parse(text).map(({ response }: { response: unknown }) => response);
    expect(answers(JSON.stringify(JSON.parse(found.journal).entries))).toEqual(
      answers(JSON.stringify(sim.journal.entries())),
    );
    expect([complaints, requests]).toEqual([[], []]);
  });
});
