/** Time and what-if on the page, compared with simulators that were sent the same requests. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import type { ApiRequest } from "../../../src/spec/messages.ts";
import { launch } from "../../chromium.ts";
import { type Visit, visit } from "./visit.ts";

const REQUESTS = 120;
const MOMENTS = [1, 2, 13, 40, 41, 64, 77, 99, 119, 120];

describe("moments", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  /** Request N of a session of two publishers, some of whose impressions repeat. */
  function requestOf({ world }: Pick<Visit, "world">, number: number): ApiRequest {
    const { id, apiKey, surfaces } = world.publishers.at(number % 2);
    const event = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad" };
    return {
      method: "POST",
      path: "/v1/impression",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ ...event, session_id: `s-${number % 50}` }),
    };
  }

  test("the scrubber shows the books as they were, at ten moments", async () => {
    const visited = await visit(browser);
    const { page, world, open, close } = visited;
    for (let number = 1; number <= REQUESTS; number += 1) {
      world.handle(requestOf(visited, number));
      if (number % 30 === 0) world.clock.advance("1h");
    }
    await open("#at=120&tab=state");
    const scrubber = page.getByRole("slider", { name: "Entry" });
    const beside = createSimulator({ clock: "frozen" });
    let sent = 0;
    for (const moment of MOMENTS) {
      for (; sent < moment; sent += 1) {
        beside.handle(requestOf({ world: beside }, sent + 1));
        if ((sent + 1) % 30 === 0) beside.clock.advance("1h");
      }
      await scrubber.fill(`${moment}`);
      await page.getByText(`after #${moment}`).waitFor();
      const own = beside.publishers.at(moment % 2).id;
      const books = beside.audit().publishers.find(({ publisher }) => publisher === own);
      const fact = (name: string): Promise<string> =>
        page.locator("dl > div").filter({ hasText: name }).locator("dd").first().innerText();
      await expect.poll(() => fact("Id")).toBe(own);
      await expect.poll(() => fact("Impressions")).toBe(`${books?.impressions.applied}`);
      expect(await fact("Revenue")).toBe(`₹${books?.books.revenueInr}`);
      expect(await fact("Pending")).toBe(`₹${books?.books.pendingInr}`);
      await page.getByRole("heading", { name: "Statistics", exact: true }).waitFor();
      expect(await fact("publisher_id")).toBe(own);
    }
    await close();
  });

  test("go on from here makes a world that knows nothing of what came later", async () => {
    const visited = await visit(browser);
    const { page, server, world, open, close } = visited;
    for (let number = 1; number <= 10; number += 1) world.handle(requestOf(visited, number));
    await open("#at=4&tab=state");
    await page.getByRole("button", { name: "Make a world" }).click();
    await page.getByRole("link", { name: "open it" }).click();
    await page.locator(".world").filter({ hasText: "from-4" }).waitFor();
    await page.getByText("goes on from default, after #4").waitFor();
    expect(server.worlds.get("from-4").audit().total.applied).toBe(4);
    expect(world.audit().total.applied).toBe(10);
    await close();
  });

  test("if keys work for all publishers, an event shows whose books it changed, and is found by that publisher", async () => {
    const { page, world, publisher, open, close } = await visit(browser);
    world.assume({ "auth.key-scope": "any" });
    const other = world.publishers.at(1);
    const headers = { authorization: `Bearer ${publisher.apiKey}` };
    const event = { publisher_id: other.id, surface: other.surfaces[0]?.id, ad_id: "ad" };
    const body = JSON.stringify(event);
    world.handle({ method: "POST", path: "/v1/impression", headers, body });
    await open("#at=1");
    await page.getByText(`Of publisher ${other.id}.`).waitFor();
    const row = page.getByRole("row").filter({ hasText: "impressions" });
    await expect.poll(() => row.first().innerText()).toMatch(/0\s+1$/);
    await open("#view=truth");
    await page.getByRole("link", { name: other.id }).click();
    await page.locator("#row-1").waitFor();
    await close();
  });

  test("another publisher's state doesn't stand under the name of the chosen one", async () => {
    const { page, world, impression, open, close } = await visit(browser);
    impression("a");
    const other = world.publishers.at(1);
    await open("#at=1&tab=state");
    await page.getByRole("heading", { name: "Surfaces" }).waitFor();
    let answer = (): void => undefined;
    const isHeldBack = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/history\/1\?publisher=/, async (route) => {
      await isHeldBack;
      await route.continue();
    });
    await page.evaluate((id) => {
      location.hash = `#at=1&tab=state&who=${id}`;
    }, other.id);
    await page.getByText("Loading …").first().waitFor();
    expect(await page.getByRole("heading", { name: "Surfaces" }).count()).toBe(0);
    answer();
    await page.getByText(other.name).first().waitFor();
    await close();
  });

  test("what if: a reading, a fault, later, and an edit answer as a simulator does", async () => {
    const visited = await visit(browser);
    const { page, world, publisher, impression, open, close } = visited;
    impression("same");
    impression("same");
    await open("#at=2&tab=what-if");
    const conflict = page
      .locator("details")
      .filter({ hasText: "dedup.repeat" })
      .filter({ hasText: "409" });
    await conflict.first().waitFor();
    await page.getByText("Under a fault").click();
    await page.getByRole("button", { name: "Try the fault" }).click();
    const found = page.locator(".answer").filter({ hasText: "What if" });
    await expect.poll(() => found.first().innerText()).toContain("503");
    await page.getByText("With an edited request").click();
    const body = page.getByRole("textbox", { name: "Body" });
    await body.fill((await body.inputValue()).replace("same", "another"));
    await page.getByRole("button", { name: "Try the edit" }).click();
    await expect.poll(() => found.last().innerText()).toContain("+1 impression");
    await page.getByText("Later", { exact: true }).click();
    await page.getByLabel("By how much").fill("2d");
    await page.getByRole("button", { name: "Try later" }).click();
    await expect.poll(() => found.count()).toBe(3);
    // Nothing of it happened.
    expect(world.audit().total).toMatchObject({ applied: 1, attempts: 2 });
    expect(world.publishers.get(publisher.id).surfaces[0]?.status).toBe("active");
    await close();
  });

  test("what if: passing through entries asks about the one where the user stays", async () => {
    const { page, impression, open, close } = await visit(browser);
    for (let sent = 0; sent < 30; sent += 1) impression(`s-${sent}`);
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/what-if")) asked.push(request.url());
    });
    await page.clock.install();
    await open("#at=30&tab=what-if");
    await page.getByText("The answer in force").waitFor();
    // From here on the page's time passes only as the test says.
    await page.clock.pauseAt(Date.now() + 60_000);
    for (let pressed = 0; pressed < 20; pressed += 1) {
      await page.keyboard.press("[");
      await page.clock.runFor(50);
    }
    await page.getByRole("heading", { name: "#10 " }).waitFor();
    await page.clock.runFor(500);
    await page.getByText("The answer in force").waitFor();
    expect(asked.map((url) => url.replace(/.*_sim/, ""))).toEqual([
      "/history/30/what-if",
      "/history/10/what-if",
    ]);
    await close();
  });

  test("what if: a request that the user leaves is given up", async () => {
    const { page, impression, open, close } = await visit(browser);
    for (let sent = 0; sent < 3; sent += 1) impression(`s-${sent}`);
    const failed: string[] = [];
    page.on("requestfailed", (request) => failed.push(request.url()));
    // Its answer never comes.
    await page.route("**/history/3/what-if", () => undefined);
    const isAsked = page.waitForRequest("**/history/3/what-if");
    await open("#at=3&tab=what-if");
    await isAsked;
    await page.keyboard.press("[");
    await page.getByText("The answer in force").waitFor();
    expect(failed.map((url) => url.replace(/.*_sim/, ""))).toEqual(["/history/3/what-if"]);
    await close();
  });

  test("what if: long answers are made when they are opened, and with few elements", async () => {
    const { page, world, impression, open, close } = await visit(browser);
    const body = Array.from({ length: 90_000 }, () => 1);
    world.faults.add({ verdict: { kind: "respond", status: 200, body } });
    impression("s");
    await open("#at=1&tab=what-if");
    await page.getByText("The answer in force").waitFor();
    const inForce = page.locator("details").filter({ hasText: "The answer in force" });
    expect(await inForce.locator(".answer").count()).toBe(0);
    await page.getByText("The answer in force").click();
    await inForce.locator(".answer").waitFor();
    await page.getByText("Under a fault").click();
    await page.getByRole("button", { name: "Try the fault" }).click();
    await page.getByText("What if:").waitFor();
    expect(await page.locator("*").count()).toBeLessThan(2000);
    await close();
  });

  test.each(["\r\n", "\r", "\n"])(
    "what if: a body whose lines end in %j goes out with these, edited or not",
    async (end) => {
      const { page, world, open, close } = await visit(browser);
      world.handle({ method: "POST", path: "/v1/impression", body: `surface=a${end}b&ad_id=c` });
      await open("#at=1&tab=what-if");
      await page.getByText("With an edited request").click();
      const sent = page.waitForRequest(
        (request) => request.postData()?.startsWith('{"request"') === true,
      );
      await page.getByRole("button", { name: "Try the edit" }).click();
      expect((await sent).postDataJSON()).toEqual({ request: {} });
      await page.getByText("Nothing differs.").waitFor();
      const body = page.getByRole("textbox", { name: "Body" });
      await body.fill(`${await body.inputValue()}d`);
      const edited = page.waitForRequest((one) => one.postData()?.includes("ad_id=cd") === true);
      await page.getByRole("button", { name: "Try the edit" }).click();
      expect((await edited).postDataJSON()).toEqual({
        request: { body: `surface=a${end}b&ad_id=cd` },
      });
      await page.getByLabel("Headers, one on each line").fill("a: 1\n  \na: 2");
      await page.getByRole("button", { name: "Try the edit" }).click();
      await page.getByRole("alert").filter({ hasText: "headers has a twice" }).waitFor();
      await close();
    },
  );
});
