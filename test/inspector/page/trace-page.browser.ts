/** The file form in a real browser, opened from disk with the network off. */

import { expect, test } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { senderOf } from "../../operation-sender.ts";
import { openFile, useBrowser } from "./visit.ts";

useBrowser();

test("shows the rows, exchanges and moments of a session as the server did, and loads nothing", async () => {
  const sim = createSimulator({ seed: "file" });
  const { impression, publisher } = senderOf(sim);
  for (let number = 1; number <= 30; number += 1) {
    impression(`s-${number % 9}`);
    if (number % 10 === 0) sim.clock.advance("1h");
  }
  const html = await sim.trace({ title: "A & B <i>" });
  const { page, complaints, go } = await openFile(html);
  await page.locator("#row-30").waitFor();
  await page.getByText("This file only shows what was recorded").waitFor();
  for (const at of [30, 7, 21]) {
    await go(`#at=${at}&tab=state`);
    await page.getByRole("button", { name: /^Show all/ }).click();
    const then = sim.fork({ after: at });
    const { amounts } = then.audit().publishers.find((one) => one.publisher === publisher.id) ?? {};
    const revenue = page.getByRole("row", { name: "revenue in all" });
    await expect.poll(() => revenue.innerText()).toContain(`₹${amounts?.revenueInr}`);
  }
  // The thirtieth repeats an earlier one.
  await go("#at=30");
  await page.locator(".headline").filter({ hasText: "duplicate of #" }).waitFor();
  expect(complaints).toEqual([]);
});

test("shows every view, without what takes a server", async () => {
  const sim = createSimulator({ seed: "file" });
  sim.faults.add({ verdict: { kind: "drop" }, match: { nth: 2 } });
  for (const session of ["a", "b", "c"]) senderOf(sim).impression(session);
  const { page, complaints, go } = await openFile(await sim.trace());
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
  senderOf(sim).impression("a");
  const { page, complaints } = await openFile(await sim.trace(), "#world=typo");
  await page.getByRole("alert").filter({ hasText: "doesn't hold a world typo" }).first().waitFor();
  await page.locator(".start").getByRole("link", { name: "default" }).click();
  await page.locator("#row-1").waitFor();
  expect(complaints).toEqual([]);
});

test("whatever was sent neither breaks the file nor becomes markup", async () => {
  const hostile = [
    "</script><script>globalThis.attacked = 1</script>",
    "<!--<script>",
    "]]><img src=x onerror=globalThis.attacked=1>",
    "\u2028\u2029\u0000\ud800\udc00\ud800",
    "</SCRIPT\t>\"'`+globalThis.attacked=1+`\\u003c",
  ];
  const sim = createSimulator({ seed: hostile[0] });
  const { impression } = senderOf(sim);
  for (const text of hostile) {
    impression(text);
    sim.handle({
      method: text,
      path: `/v1/${text}`,
      query: `publisher_id=${text}`,
      headers: { "user-agent": text },
      body: text,
    });
    sim.publishers.signUp({ name: text.toWellFormed(), surfaces: [text.toWellFormed()] });
  }
  const title = hostile.join("");
  const { page, complaints, go } = await openFile(await sim.trace({ title }));
  for (let at = 1; at <= hostile.length * 2; at += 1) {
    await go(`#at=${at}`);
    await page.getByRole("complementary", { name: `Exchange ${at}`, exact: true }).waitFor();
  }
  const found = await page.evaluate(() => ({
    attacked: Reflect.get(globalThis, "attacked"),
    scripts: document.querySelectorAll("script").length,
    foreign: document.querySelectorAll("img, iframe").length,
  }));
  expect(found).toEqual({ attacked: undefined, scripts: 2, foreign: 0 });
  expect(complaints).toEqual([]);
});
