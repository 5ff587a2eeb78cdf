/** What the World view does to a world, each compared with the world itself. */

import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launch } from "../../chromium.ts";
import { visit } from "./visit.ts";

describe("hands", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  test("advance and set the clock; an error stands where the action was", async () => {
    const { page, world, open, close } = await visit(browser);
    await open("#view=world");
    const start = world.clock.now();
    await page.getByRole("button", { name: "+ 1d" }).click();
    await expect.poll(() => world.clock.now() - start).toBe(86_400_000);
    await page.getByLabel("By, such as").fill("soon");
    await page.getByRole("button", { name: "Advance", exact: true }).click();
    expect(await page.getByRole("alert").innerText()).toMatch(/^by .*must be/);
    await page.getByLabel("Time, in ISO 8601").fill("2027-01-01T00:00:00Z");
    await page.getByRole("combobox", { name: "Mode" }).selectOption("flowing");
    await page.getByRole("button", { name: "Set", exact: true }).click();
    await expect.poll(() => world.clock.mode).toBe("flowing");
    await page.locator(".now").filter({ hasText: "2027-01-01" }).waitFor();
    world.reset();
    await page.locator(".now").filter({ hasText: "2026-01-15" }).waitFor();
    await close();
  });

  test("a running clock runs", async () => {
    const { page, world, open, close } = await visit(browser);
    world.clock.set({ mode: "flowing" });
    await open("#view=world&section=clock");
    const shown = (): Promise<string> => page.locator(".big").innerText();
    await page.locator(".big").filter({ hasText: "flowing" }).waitFor();
    const before = await shown();
    await expect.poll(shown).not.toBe(before);
    await close();
  });

  test("choose an assumption, and find the changed ones", async () => {
    const { page, world, open, close } = await visit(browser);
    await open("#view=world&section=assumptions&search=dedup.repeat");
    await page.locator("summary").first().click();
    await page.locator("li").filter({ hasText: "conflict" }).getByRole("button").click();
    await expect.poll(() => world.assumptions["dedup.repeat"]).toBe("conflict");
    await page.getByRole("searchbox").fill("");
    await page.getByLabel("only changed ones").check();
    await expect.poll(() => page.locator(".point").count()).toBe(1);
    await close();
  });

  test("add a fault from the form and as JSON, refuse a wrong one, remove them", async () => {
    const { page, world, open, close } = await visit(browser);
    const ids = (): string[] => world.faults.list().map(({ id }) => id);
    await open("#view=world&section=faults");
    const form = page.locator("form.action").first();
    await form.getByRole("combobox", { name: "Kind" }).selectOption("drop");
    await form.getByRole("combobox", { name: "Operation" }).selectOption("click");
    await form.getByLabel("Every Nth request").fill("3");
    await form.getByRole("textbox", { name: "Name" }).fill("mine");
    await form.getByRole("button", { name: "Add" }).click();
    await expect.poll(ids).toEqual(["mine"]);
    expect(world.faults.get("mine")).toMatchObject({
      match: { operation: "click", every: 3 },
      verdict: { kind: "drop" },
    });
    const verdict = form.getByLabel("Verdict");
    const template = await verdict.inputValue();
    await verdict.fill("{");
    await form.getByRole("button", { name: "Add" }).click();
    expect(await form.getByRole("alert").innerText()).toContain("verdict must be valid JSON");
    await verdict.fill(template);
    await form.getByLabel("Every Nth request").fill("0");
    await form.getByRole("button", { name: "Add" }).click();
    expect(await form.getByRole("alert").innerText()).toContain("match.every");
    await page.getByText("A rule as JSON").click();
    await page.getByRole("button", { name: "Add" }).last().click();
    await expect.poll(ids).toEqual(["mine", "lost-ack"]);
    await page.getByRole("button", { name: "remove", exact: true }).first().click();
    await expect.poll(ids).toEqual(["lost-ack"]);
    await page.getByRole("button", { name: "Remove all" }).click();
    await expect.poll(ids).toEqual([]);
    await close();
  });

  test("sign up, pause a surface, rotate a key", async () => {
    const { page, world, publisher, open, close } = await visit(browser);
    const { total } = world.publishers;
    await open("#view=world&section=publishers");
    await page.getByLabel("Name", { exact: true }).fill("Mine");
    await page.getByLabel("Names of surfaces").fill("Header, Footer");
    await page.getByRole("button", { name: "Sign up" }).click();
    await page.locator("summary").filter({ hasText: "Mine" }).waitFor();
    const [mine] = world.publishers.list({ offset: total, limit: 1 });
    expect(mine?.surfaces.map(({ name }) => name)).toEqual(["Header", "Footer"]);
    await page.locator("details[open]").filter({ hasText: "Mine" }).getByText("Footer").waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("");
    await page.getByLabel("Id").fill("pub_nobody");
    await page.getByRole("button", { name: "Find" }).click();
    await page.getByRole("alert").filter({ hasText: "publisher" }).waitFor();
    await page.getByLabel("Id").fill(publisher.id);
    await page.getByRole("button", { name: "Find" }).click();
    const details = page.locator("details").filter({ hasText: publisher.id });
    await details.getByRole("button", { name: "pause" }).first().click();
    const changed = () => world.publishers.get(publisher.id);
    await expect.poll(() => changed().surfaces[0]?.status).toBe("paused");
    await details.getByRole("button", { name: "Rotate the key" }).click();
    await expect.poll(() => changed().apiKey).not.toBe(publisher.apiKey);
    await details.getByText(changed().apiKey).waitFor();
    await close();
  });

  test("play a scenario", async () => {
    const { page, world, open, close } = await visit(browser);
    await open("#view=world&section=scenarios&scenario=lost-ack");
    await page.getByRole("button", { name: "play" }).click();
    await page.getByRole("button", { name: "play, and replace this world?" }).click();
    await page.getByRole("heading", { name: "lost-ack: passed" }).waitFor();
    expect(world.journal.total).toBeGreaterThan(2);
    await close();
  });

  test("fork, look at both worlds, save, reset, restore and delete", async () => {
    const { page, server, world, impression, open, close } = await visit(browser);
    impression("a");
    await open("#view=world&section=worlds");
    await page.getByLabel("Name of the new world").fill("other");
    await page.getByRole("button", { name: "Fork this world" }).click();
    await page.getByRole("link", { name: "other" }).waitFor();
    expect(server.worlds.names()).toEqual(["default", "other"]);
    impression("b");
    await page.getByLabel("With").selectOption("other");
    const columns = page.locator(".columns > div");
    const recorded = (column: number): Promise<string> =>
      columns.nth(column).locator("dl > div").filter({ hasText: "Recorded" }).innerText();
    await expect.poll(() => recorded(0)).toMatch(/2$/);
    expect(await recorded(1)).toMatch(/1$/);

    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download" }).click(),
    ]);
    const path = await download.path();
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(
      JSON.parse(JSON.stringify(world.snapshot())),
    );
    await page.getByRole("button", { name: "Reset this world" }).click();
    expect(world.journal.total).toBeGreaterThan(0);
    await page.getByRole("button", { name: /^Forget \d+ requests and start anew\?$/ }).click();
    await expect.poll(() => world.audit().total.applied).toBe(0);
    await page.getByLabel("A snapshot's file").setInputFiles(path);
    await page.getByRole("button", { name: "Restore" }).click();
    await page.getByRole("button", { name: "Replace this world's state?" }).click();
    await expect.poll(() => world.audit().total.applied).toBe(2);
    await page.getByRole("button", { name: "delete" }).click();
    await page.getByRole("button", { name: /^delete \S+, with \d+ requests?/ }).click();
    await expect.poll(() => server.worlds.names()).toEqual(["default"]);
    await close();
  });

  test("two worlds side by side are both up to date, whichever changes", async () => {
    const { page, server, open, close } = await visit(browser);
    const other = server.worlds.fork("other", "default");
    await open("#view=world&section=worlds&with=other");
    const shown = page.locator(".columns > div").nth(1);
    await shown.getByText("Recorded").waitFor();
    other.handle({ method: "GET", path: "/v1/nothing" });
    await shown.getByText("GET /v1/nothing").waitFor();
    await close();
  });

  test("the focus stays with its rule when another one goes", async () => {
    const { page, world, impression, open, close } = await visit(browser);
    const ids = ["r1", "r2", "r3"];
    for (const id of ids) world.faults.add({ id, match: { nth: 9 }, verdict: { kind: "drop" } });
    await open("#view=world&section=faults");
    await page.getByRole("row", { name: "r2" }).getByRole("button", { name: "remove" }).focus();
    world.faults.remove("r1");
    impression("so that the list is read again");
    await page.getByRole("row", { name: "r1" }).waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await expect.poll(() => world.faults.list().map(({ id }) => id)).toEqual(["r3"]);
    await close();
  });

  test("a key that is held down doesn't answer the question that it asked", async () => {
    const { page, server, open, close } = await visit(browser);
    for (const name of ["a", "b"]) server.worlds.fork(name, "default");
    await open("#view=world&section=worlds");
    await page.getByRole("button", { name: "delete" }).first().focus();
    for (let pressed = 0; pressed < 5; pressed += 1) await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    await page.getByRole("button", { name: /^delete a, with/ }).waitFor();
    expect(server.worlds.names()).toEqual(["default", "a", "b"]);
    await close();
  });

  test("slow answers are shown, also while more happens", async () => {
    const { page, world, impression, open, close } = await visit(browser);
    world.faults.add({ id: "r1", match: { nth: 9 }, verdict: { kind: "drop" } });
    await page.route("**/_sim/faults", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 2500));
      await route.continue();
    });
    await open("#view=world&section=faults");
    const traffic = setInterval(() => impression(), 200);
    await page.getByRole("row", { name: "r1" }).waitFor();
    clearInterval(traffic);
    await close();
  });

  test("what couldn't be read is read again", async () => {
    const { page, server, open, close } = await visit(browser);
    server.worlds.fork("other", "default");
    await page.route(/_sim\/(catalogue|health|worlds)$/, (route) => route.fulfill({ status: 502 }));
    await open("#view=world&section=worlds&with=other");
    await page.getByRole("alert").first().waitFor();
    await page.unroute(/_sim\/(catalogue|health|worlds)$/);
    await page.locator(".columns > div").nth(1).getByText("Recorded").waitFor();
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
    await close();
  });

  test("signing up with Enter empties the fields and keeps the focus; milliseconds need no unit", async () => {
    const { page, world, open, go, close } = await visit(browser);
    const before = world.clock.now();
    await open("#view=world&section=publishers");
    const name = page.getByRole("textbox", { name: "Name", exact: true });
    await name.fill("Someone");
    await page.keyboard.press("Enter");
    await page.getByText("Someone").first().waitFor();
    await expect.poll(() => name.inputValue()).toBe("");
    expect(await name.evaluate((field) => field === document.activeElement)).toBe(true);
    await go("#view=world");
    await page.getByLabel("By, such as").fill("1500");
    await page.keyboard.press("Enter");
    await expect.poll(() => world.clock.now() - before).toBe(1500);
    await close();
  });

  test("publishers beyond the last page lead back", async () => {
    const { page, world, open, close } = await visit(browser);
    for (let made = 0; made < 60; made += 1) world.publishers.signUp({});
    await open("#view=world&section=publishers");
    for (let turned = 0; turned < 4; turned += 1) {
      await page.getByRole("button", { name: "later" }).click();
      await page.getByText(`${21 + 20 * turned} to`).waitFor();
    }
    world.reset();
    await page.getByText(/^21 to 25 of 25$/).waitFor();
    await close();
  });

  test("a question to delete a world doesn't move to another one", async () => {
    const { page, server, impression, open, close } = await visit(browser);
    for (const name of ["a", "b", "c"]) server.worlds.fork(name, "default");
    await open("#view=world&section=worlds");
    await page.getByRole("button", { name: "delete" }).nth(1).click();
    await page.getByRole("button", { name: /^delete \S+, with/ }).waitFor();
    server.worlds.delete("b");
    impression("so that the list is read again");
    await page.getByRole("link", { name: "b", exact: true }).waitFor({ state: "detached" });
    expect(await page.getByRole("button", { name: /^delete \S+, with/ }).count()).toBe(0);
    expect(server.worlds.names()).toEqual(["default", "a", "c"]);
    await close();
  });

  test("a world that is deleted elsewhere while it stands side by side stays deleted", async () => {
    const { page, server, impression, open, close } = await visit(browser);
    server.worlds.fork("other", "default");
    await open("#view=world&section=worlds&with=other");
    await page.locator(".columns").getByText("Recorded").nth(1).waitFor();
    server.worlds.delete("other");
    impression("so that both are read again");
    await page.locator(".columns").waitFor({ state: "detached" });
    expect(server.worlds.names()).toEqual(["default"]);
    await close();
  });

  test("a world that is deleted while the page reads it stays deleted", async () => {
    const { page, server, impression, open, close } = await visit(browser);
    server.worlds.fork("other", "default");
    await open("#view=world&section=worlds&with=other");
    await page.locator(".columns").getByText("Recorded").nth(1).waitFor();
    const late = Promise.withResolvers<number>();
    await page.route("**/@other/_sim/audit", async (route) => {
      server.worlds.delete("other");
      const response = await route.fetch();
      late.resolve(response.status());
      await route.fulfill({ response });
    });
    impression("so that both are read again");
    expect(await late.promise).toBe(412);
    await page.getByRole("alert").filter({ hasText: "World other was deleted" }).waitFor();
    expect(server.worlds.names()).toEqual(["default"]);
    await close();
  });

  test("the truth follows while requests keep arriving", async () => {
    const { page, impression, open, close } = await visit(browser);
    await open("#view=truth");
    let sent = 0;
    const traffic = setInterval(() => {
      impression(`s-${sent}`);
      sent += 1;
    }, 50);
    await page.getByText(/in [1-9]\d* requests/).waitFor();
    clearInterval(traffic);
    await page.getByText(`in ${sent} requests`).waitFor();
    await close();
  });

  test("the truth links each finding to its exchanges", async () => {
    const { page, world, publisher, impression, open, close } = await visit(browser);
    impression("a");
    world.handle({ method: "GET", path: `/v1/publisher/stats?api_key=${publisher.apiKey}` });
    world.handle({ method: "GET", path: "/v1/nothing" });
    await open("#view=truth");
    const finding = page.locator("details").filter({ hasText: "/v1/nothing" }).first();
    await finding.getByRole("link", { name: "#3", exact: true }).click();
    await page.getByRole("heading", { name: "#3" }).waitFor();
    await page.goBack();
    await page.getByText("The books balance").waitFor();
    await page.getByRole("img", { name: /^Events recorded .*impressions 1/ }).waitFor();
    for (let sent = 0; sent < 40; sent += 1) world.handle({ method: "GET", path: "/v1/nothing" });
    await finding.getByRole("button", { name: /^and 1\d more$/ }).click();
    await finding.getByRole("link", { name: "#43" }).waitFor();
    await close();
  });
});
