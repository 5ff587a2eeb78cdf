/** The live list: what stays in view while rows arrive, the filters, and the empty page. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launch } from "../../chromium.ts";
import { type Visit, visibleRows, visit } from "./visit.ts";

describe("the list of exchanges", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  /** Requests of every kind that the filters tell apart. */
  function mixedTraffic({ world, publisher, impression }: Visit): void {
    const headers = { authorization: `Bearer ${publisher.apiKey}` };
    const query = { publisher_id: publisher.id };
    impression("a");
    impression("a");
    world.handle({ method: "GET", path: "/v1/publisher/stats", query, headers });
    world.handle({ method: "GET", path: "/v1/nothing", headers });
    world.handle({ method: "GET", path: "/v1/publisher/payouts", query });
    world.faults.add({
      id: "storm",
      match: { operation: "surfaces", nth: 1 },
      verdict: { kind: "respond", status: 503 },
    });
    world.faults.add({
      id: "lost",
      match: { operation: "impression", nth: 1 },
      verdict: { kind: "lose-response" },
    });
    world.handle({ method: "GET", path: "/v1/publisher/surfaces", query, headers });
    impression("b");
    for (let sent = 0; sent < 60; sent += 1) {
      world.handle({ method: "GET", path: "/v1/publisher/payouts", query, headers });
    }
  }

  test("rows that arrive don't move the open exchange; a button counts them and goes to the newest", async () => {
    const { page, impression, open, close } = await visit(browser);
    for (let sent = 0; sent < 200; sent += 1) impression(`s-${sent}`);
    await open("#at=120");
    await page.locator("#row-120").waitFor();
    const before = await visibleRows(page);
    expect(before).toContain(120);
    for (let sent = 0; sent < 17; sent += 1) impression(`later-${sent}`);
    await page.getByRole("button", { name: "17 new" }).waitFor();
    expect(await visibleRows(page)).toEqual(before);
    await page.getByRole("button", { name: "17 new" }).click();
    await page.locator("#row-217").waitFor();
    expect((await visibleRows(page))[0]).toBe(217);
    // The exchange is still open.
    await page.getByRole("heading", { name: "#120" }).waitFor();
    await close();
  });

  test("a scrolled list stays as it is, too; at the top new rows appear by themselves", async () => {
    const { page, impression, open, close } = await visit(browser);
    for (let sent = 0; sent < 100; sent += 1) impression(`s-${sent}`);
    await open();
    await page.locator("#row-100").waitFor();
    impression("shown at once");
    await page.locator("#row-101").waitFor();
    await page.locator(".list").evaluate((list) => list.scrollTo(0, 600));
    await page.locator("#row-101").waitFor({ state: "detached" });
    const before = await visibleRows(page);
    impression("waits");
    await page.getByRole("button", { name: "1 new" }).waitFor();
    expect(await visibleRows(page)).toEqual(before);
    await page.locator(".list").evaluate((list) => list.scrollTo(0, 0));
    await page.locator("#row-102").waitFor();
    await close();
  });

  test("rows that the journal dropped leave the list; one that is open stays open", async () => {
    const { page, impression, open, close } = await visit(browser, { journalEntries: 10 });
    for (let sent = 0; sent < 8; sent += 1) impression(`s-${sent}`);
    await open();
    await page.locator("#row-2").click();
    const body = page.getByLabel("Request body").filter({ hasText: '"s-1"' });
    await body.waitFor();
    for (let sent = 0; sent < 9; sent += 1) impression(`later-${sent}`);
    await page.locator("#row-7").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "9 new" }).click();
    await expect.poll(() => visibleRows(page)).toEqual([17, 16, 15, 14, 13, 12, 11, 10, 9, 8]);
    expect(await body.isVisible()).toBe(true);
    await close();
  });

  test("each filter selects its rows and stands in the address, where a link can take it", async () => {
    const visited = await visit(browser);
    const { page, open, close, publisher } = visited;
    mixedTraffic(visited);
    await open();
    await page.locator("#row-67").waitFor();
    const choose = async (label: string, value: string): Promise<void> => {
      await page.getByRole("combobox", { name: label, exact: true }).selectOption(value);
    };
    const cases: [act: () => Promise<void>, hash: string, rows: number[]][] = [
      [() => page.getByLabel("Text").fill("nothing"), "text=nothing", [4]],
      [() => page.getByLabel("Text").fill("#2 "), "text=%232+", [2]],
      [() => page.getByLabel("Text").fill("ad-1 b"), "text=ad-1+b", [7]],
      [() => choose("Operation", "impression"), "operation=impression", [7, 2, 1]],
      [() => choose("Operation", "none"), "operation=none", [4]],
      [() => choose("Status", "5xx"), "status=5xx", [6]],
      [() => choose("Status", "401"), "status=401", [5]],
      [() => choose("Status", "none"), "status=none", [7]],
      [() => choose("Publisher", "none"), "publisher=none", [5]],
      [() => choose("By", "limit"), "producer=limit", [67]],
      [() => choose("By", "rule"), "producer=rule", [6]],
      [() => page.getByLabel("books changed").check(), "books=1", [7, 1]],
      [() => page.getByLabel("faults").check(), "faults=1", [7, 6]],
    ];
    for (const [act, hash, rows] of cases) {
      await act();
      await expect.poll(() => visibleRows(page), { message: hash }).toEqual(rows);
      await expect.poll(() => new URL(page.url()).hash).toBe(`#${hash}`);
      await open(`#${hash}`);
      await expect.poll(() => visibleRows(page), { message: `link to ${hash}` }).toEqual(rows);
      await page.getByRole("button", { name: "Clear" }).click();
      await page.locator("#row-66").waitFor();
    }
    await open("#at=abc&tab=nothing");
    await page.locator("#row-66").waitFor();
    expect(await page.locator(".panel").count()).toBe(0);
    await open("#at=2&tab=nothing");
    await page.getByRole("tab", { name: "Exchange", selected: true }).waitFor();
    await open("#view=nothing&status=418");
    await page.getByText("No exchange passes the filter").waitFor();
    const status = page.getByRole("combobox", { name: "Status" });
    expect(await status.inputValue()).toBe("418");
    await page.getByRole("button", { name: "Clear" }).first().click();
    await choose("Publisher", publisher.id);
    await expect.poll(async () => (await visibleRows(page)).includes(5)).toBe(false);
    await choose("Operation", "impression");
    expect(await page.locator("#row-2").innerText()).toContain("again #1");
    await close();
  });

  test("the back button closes the exchange and opens it again; what was done by hand stands between the rows", async () => {
    const { page, world, impression, open, close } = await visit(browser);
    impression("a");
    world.clock.advance("1h");
    impression("b");
    await open();
    await page.getByText("clock advanced by 1 h").waitFor();
    await page.locator("#row-2").click();
    await page.getByRole("heading", { name: "#2" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "#2" }).waitFor({ state: "detached" });
    await page.goForward();
    await page.getByRole("heading", { name: "#2" }).waitFor();
    await page.getByText("clock advanced by 1 h").click();
    await page.getByRole("button", { name: "before #2", pressed: true }).waitFor();
    await close();
  });

  test("an empty world shows a line to paste whose values work", async () => {
    const { page, server, publisher, open, close } = await visit(browser);
    await open();
    const line = await page.getByRole("group", { name: "A first request" }).innerText();
    expect(line).toContain(`"${server.url}/v1/impression"`);
    expect(line).toContain(`Authorization: Bearer ${publisher.apiKey}`);
    const body = /-d '([^']*)'/.exec(line)?.[1] ?? "";
    const headers = {
      authorization: `Bearer ${publisher.apiKey}`,
      "content-type": "application/x-www-form-urlencoded",
    };
    const answer = await fetch(`${server.url}/v1/impression`, { method: "POST", headers, body });
    expect(answer.status).toBe(200);
    await page.locator("#row-1").waitFor();
    await close();
  });

  test("an exchange that is open while the world is reset makes room for the new one of its number", async () => {
    const { page, world, impression, open, close } = await visit(browser);
    impression("old");
    await open("#at=1");
    await page.getByText('"old"').waitFor();
    world.reset();
    impression("new");
    await page.getByText('"new"').waitFor();
    await close();
  });

  test("the page of a deleted world doesn't make it again", async () => {
    const { page, server, open, close } = await visit(browser);
    const gone = server.worlds.fork("gone", "default");
    await open();
    await page.goto(`${server.url}/@gone/_sim/#view=world&section=clock`);
    await page.locator(".connection.live").waitFor();
    server.worlds.delete("gone");
    // Its stream ends when something would have to be sent.
    gone.clock.advance("1s");
    await page.locator(".connection.ended").waitFor();
    await page.getByRole("button", { name: "+ 1h" }).click();
    await page.getByRole("alert").filter({ hasText: "World gone was deleted" }).waitFor();
    expect(server.worlds.names()).toEqual(["default"]);
    await close();
  });

  test("the page of a deleted world says so, and doesn't take another one of its name for it", async () => {
    const { page, server, open, close } = await visit(browser);
    const gone = server.worlds.fork("gone", "default");
    await open();
    await page.goto(`${server.url}/@gone/_sim/`);
    await page.getByRole("group", { name: "A first request" }).waitFor();
    server.worlds.delete("gone");
    gone.clock.advance("1s");
    await page.locator(".connection.ended").waitFor();
    server.worlds.get("gone").clock.advance("1d");
    await page.getByRole("link", { name: "World", exact: true }).click();
    await page.getByRole("alert").filter({ hasText: "World gone was deleted" }).first().waitFor();
    await close();
  });

  test("nine pages of a server all follow it, and still act", async () => {
    const { page, impression, open, close } = await visit(browser);
    await open();
    const pages = [page];
    while (pages.length < 9) {
      const another = await page.context().newPage();
      await another.goto(page.url());
      await another.locator(".connection.live").waitFor();
      pages.push(another);
    }
    impression("a");
    for (const one of pages) {
      await one.locator("#row-1").waitFor();
      await one.locator("#row-1").click();
      await one.getByText('"a"').first().waitFor();
    }
    await close();
  });

  test("a page that only asks notices a reset, and that the server is gone", async () => {
    const { page, world, server, impression, open, close } = await visit(browser);
    await open();
    for (let count = 0; count < 3; count += 1) {
      await (await page.context().newPage()).goto(page.url());
    }
    const asking = await page.context().newPage();
    await asking.goto(page.url());
    await asking.locator(".connection.live").waitFor();
    impression("a");
    impression("b");
    await asking.locator("#row-2").waitFor();
    world.reset();
    await asking.getByRole("heading", { name: "No request yet" }).waitFor();
    impression("c");
    await asking.locator("#row-1").waitFor();
    expect(await visibleRows(asking)).toEqual([1]);
    await server.close();
    await asking.locator(".connection.reconnecting").waitFor();
    await close();
  });

  test("beside an exchange that is open from the start, the list has all that came before", async () => {
    const { page, world, impression, open, close } = await visit(browser);
    // Each part takes longer than what is drawn together.
    await page.addInitScript(() => {
      const { addEventListener } = EventSource.prototype;
      let parts = 0;
      EventSource.prototype.addEventListener = function (name: string, listen: never) {
        const later = (event: Event): unknown =>
          setTimeout(listen as (event: Event) => void, 400 * parts++, event);
        addEventListener.call(this, name, later);
      };
    });
    impression("a");
    world.clock.advance("1h");
    impression("b");
    await open("#at=1");
    await page.locator("#row-2").waitFor();
    await close();
  });

  test("a mark of a repetition stays when the journal has forgotten the first time", async () => {
    const { page, impression, open, close } = await visit(browser, { journalEntries: 5 });
    for (const session of ["a", "b", "a", "a"]) impression(session);
    await open();
    await page.locator("#row-4").filter({ hasText: "again #1" }).waitFor();
    impression("c");
    impression("d");
    await page.locator("#row-4").filter({ hasText: "again #3" }).waitFor();
    await close();
  });

  test("the keyboard finds back into a list that has lost its row", async () => {
    const { page, world, impression, open, close } = await visit(browser);
    for (let sent = 0; sent < 3; sent += 1) impression(`s-${sent}`);
    for (let sent = 0; sent < 3; sent += 1) world.handle({ method: "GET", path: "/v1/nothing" });
    await open();
    await page.locator("#row-6").waitFor();
    for (let pressed = 0; pressed < 5; pressed += 1) await page.keyboard.press("j");
    await page.locator("#row-2.cursor").waitFor();
    await page.getByRole("combobox", { name: "Status" }).selectOption("4xx");
    await page.locator(".list").focus();
    await page.keyboard.press("j");
    await page.locator("#row-4.cursor").waitFor();
    await close();
  });

  test("a page behind a proxy goes on when the server answers again", async () => {
    const { page, server, impression, open, close } = await visit(browser);
    await open();
    impression("a");
    await page.route("**/_sim/events*", (route) => route.fulfill({ status: 502 }));
    await page.goto("about:blank");
    await page.goto(`${server.url}/_sim/`);
    await page.locator(".connection.reconnecting").waitFor();
    await page.unroute("**/_sim/events*");
    await page.locator("#row-1").waitFor();
    await page.locator(".connection.live").waitFor();
    await close();
  });

  test("beside an open exchange that the journal forgot, the list has those that it kept", async () => {
    const { page, impression, open, close } = await visit(browser, { journalEntries: 50 });
    for (let sent = 0; sent < 30; sent += 1) impression(`s-${sent}`);
    await open("#at=10");
    await page.locator("#row-10").waitFor();
    for (let sent = 0; sent < 200; sent += 1) impression(`t-${sent}`);
    await page.getByText("#10 of 230").waitFor();
    await expect.poll(async () => (await visibleRows(page)).length).toBeGreaterThan(10);
    await close();
  });

  test("a recording longer than a journal usually is has all its rows", async () => {
    const { page, impression, open, close } = await visit(browser, { journalEntries: 25_000 });
    for (let sent = 0; sent < 22_000; sent += 1) impression(`s-${sent}`);
    await open("#text=%231");
    await expect.poll(() => visibleRows(page)).toEqual([1]);
    await page.getByText("1 of 22000", { exact: true }).waitFor();
    await close();
  });

  test.each(["what-if", "state"])(
    "the tab %s of an exchange that is still to come fills when it has come",
    async (tab) => {
      const { page, publisher, impression, open, close } = await visit(browser);
      impression("a");
      await open(`#at=2&tab=${tab}&who=${publisher.id}`);
      await page.getByRole("alert").first().waitFor();
      impression("b");
      const filled = page.getByRole("heading", { name: "Surfaces" });
      await (tab === "state" ? filled : page.getByText("The answer in force")).waitFor();
      await expect.poll(() => page.getByRole("alert").count()).toBe(0);
      await close();
    },
  );

  test("a page that gets no stream, because there are too many, asks again and again", async () => {
    const { page, server, impression, open, close } = await visit(browser);
    impression("a");
    const leave = new AbortController();
    const streams = Array.from({ length: 100 }, () =>
      fetch(`${server.url}/_sim/events`, { signal: leave.signal }),
    );
    await Promise.all(streams);
    await open();
    await page.locator("#row-1").waitFor();
    impression("b");
    await page.locator("#row-2").waitFor();
    leave.abort();
    await close();
  });

  test("what was done by hand is a link to where it shows: a moment, or the world as it is", async () => {
    const { page, world, impression, open, close } = await visit(browser);
    world.publishers.signUp({ name: "Before all" });
    impression("a");
    world.assume({ "dedup.repeat": "count" });
    await open();
    const changes = page.locator(".row.change a");
    await changes.nth(1).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "before #1", pressed: true }).waitFor();
    await changes.nth(0).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("tab", { name: "Assumptions", selected: true }).waitFor();
    await close();
  });

  test("on a phone, the slider and the filter stay while an exchange is open", async () => {
    const { page, impression, open, close } = await visit(browser, { width: 400 });
    for (const session of ["a", "b", "c"]) impression(session);
    await open();
    await page.locator("#row-3").click();
    await page.getByRole("heading", { name: "#3" }).waitFor();
    await page.getByRole("slider", { name: "Entry" }).press("ArrowLeft");
    await page.getByRole("heading", { name: "#2" }).waitFor();
    await page.getByRole("slider", { name: "Entry" }).press("ArrowLeft");
    await page.getByRole("heading", { name: "#1" }).waitFor();
    await page.keyboard.press("/");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("filter-text");
    await close();
  });

  test("an exchange that is open comes back after a reset as soon as there is one of its number", async () => {
    const { page, world, impression, open, close } = await visit(browser);
    impression("a");
    await open("#at=1");
    await page.getByRole("heading", { name: "#1" }).waitFor();
    world.reset();
    await page.getByRole("alert").first().waitFor();
    impression("new");
    await page.getByText('"new"').waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await close();
  });

  test("a reset world is shown anew", async () => {
    const { page, world, impression, open, close } = await visit(browser);
    impression("a");
    impression("b");
    await open();
    await page.locator("#row-2").waitFor();
    world.reset();
    await page.getByRole("heading", { name: "No request yet" }).waitFor();
    impression("c");
    await page.locator("#row-1").waitFor();
    expect(await visibleRows(page)).toEqual([1]);
    await close();
  });
});
