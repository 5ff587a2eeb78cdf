/** What the page says of exchanges, and what can be done on it, in a real browser. */

import type { Page } from "@playwright/test";
import { expect, test } from "vitest";
import { senderOf } from "../../operation-sender.ts";
import { useBrowser, type Visit, visit } from "./visit.ts";

useBrowser();

/** For the next request. */
function fault({ world }: Visit, kind: "lose-response" | "drop" | "garbage" | "truncate"): void {
  world.faults.clear();
  const verdict = kind === "truncate" ? ({ kind, share: 0.5 } as const) : { kind };
  world.faults.add({ id: kind, match: { times: 1 }, verdict });
}

/** From the top, without times and numbers. */
function rows(page: Page): Promise<string[]> {
  const parts = [".count", ".what > b:last-of-type", ".outcome"];
  return page.locator(".row").evaluateAll(
    (all, names) =>
      all.map((row) =>
        names
          .map((name) => row.querySelector(name)?.textContent ?? "")
          .join(" ")
          .trim(),
      ),
    parts,
  );
}

test("says in each row what happened, folds equal ones, and counts what the filters show", async () => {
  const visited = await visit();
  const { page, impression, payouts, nowhere, open } = visited;
  impression("a");
  impression("a");
  for (const kind of ["lose-response", "drop", "garbage", "truncate"] as const) {
    fault(visited, kind);
    impression(kind);
  }
  for (let sent = 0; sent < 61; sent += 1) payouts();
  nowhere();
  await open();
  await page.locator("#row-68").waitFor();
  const all = [
    "GET /nowhere refused: no operation answers at this path",
    "payouts refused: 60 reads a minute used up, wait 60 s",
    "60 × payouts read",
    "impression recorded, answer cut off truncate",
    "impression recorded, answer unreadable garbage",
    "impression never reached the service, no answer drop",
    "impression recorded, answer lost lose-response",
    "impression duplicate of #1, not counted",
    "impression recorded",
  ];
  expect(await rows(page)).toEqual(all);
  const counts = page.getByRole("group", { name: "Show" });
  expect((await counts.innerText()).replaceAll(/\s+/g, " ")).toBe(
    "All 68 Errors 4 Faults 4 Counted 4 Refused 2",
  );
  await page.locator(".row.fold").click();
  await page.locator("#row-8").waitFor();
  await page.locator(".row.fold").click();
  await page.locator("#row-8").waitFor({ state: "detached" });
});

test("each filter selects its rows and stands in the address, where a link can take it", async () => {
  const visited = await visit();
  const { page, impression, nowhere, open, go, publisher } = visited;
  impression("a");
  impression("a");
  fault(visited, "lose-response");
  impression("bbb");
  nowhere();
  await open("#text=zzz");
  await page.getByRole("button", { name: "Show all" }).waitFor();
  for (const [hash, sequences] of [
    ["text=nowhere", [4]],
    ["text=%232", [2]],
    ["text=status:200", [2, 1]],
    ["text=status:none", [3]],
    ["text=fault:lose-response", [3]],
    ["text=ad bbb", [3]],
    [`text=${publisher.id}`, [4, 3, 2, 1]],
    ["show=errors", [3]],
    ["show=faults", [3]],
    ["show=counted", [3, 1]],
    ["show=refused", [4]],
  ] as const) {
    await go(`#${hash}`);
    const ids = () => page.locator(".row").evaluateAll((all) => all.map(({ id }) => id));
    await expect.poll(ids, { message: hash }).toEqual(sequences.map((one) => `row-${one}`));
  }
  await page.getByRole("searchbox").first().fill("zzz");
  await page.getByRole("button", { name: "Show all" }).click();
  await page.locator("#row-4").waitFor();
  expect(new URL(page.url()).hash.length).toBeLessThanOrEqual(1);
});

test("the list stands still while an exchange is open; a button brings what came since", async () => {
  const { page, impression, open, world } = await visit();
  for (let sent = 0; sent < 620; sent += 1) impression(`s-${sent}`);
  await open();
  await page.locator("#row-620").waitFor();
  expect(await page.locator(".row").count()).toBe(500);
  await page.getByRole("button", { name: "Show 120 older" }).click();
  await page.locator("#row-1").waitFor();
  await page.locator("#row-600").click();
  for (let sent = 0; sent < 17; sent += 1) impression(`later-${sent}`);
  await page.getByRole("button", { name: "17 new" }).waitFor();
  expect(await page.locator("#row-621").count()).toBe(0);
  await page.getByRole("button", { name: "17 new" }).click();
  await page.locator("#row-637").waitFor();
  await page.getByRole("heading", { name: "#600" }).waitFor();
  world.reset();
  impression("anew");
  await page.locator("#row-637").waitFor({ state: "detached" });
});

test("the panel explains, shows what changed, what if, and copies", async () => {
  const visited = await visit();
  const { page, impression, open } = visited;
  fault(visited, "lose-response");
  impression("a");
  await open("#at=1");
  await page.getByText("The fault lose-response dropped the answer. The client got no").waitFor();
  await page.getByRole("link", { name: "Answer" }).click();
  await page.getByText('"impression_id"').waitFor();
  await page.getByRole("link", { name: "Before → after" }).click();
  const line = page.getByRole("row", { name: "impressions recorded here" });
  expect((await line.innerText()).replaceAll(/\s+/g, " ")).toContain("0 → 1");
  await page.getByRole("link", { name: "What if" }).click();
  await page.getByText("Without the fault the client would have got 200").waitFor();
  await page.getByText("Under none of 31 assumptions would the answer differ.").waitFor();
  await page.keyboard.press("5");
  await page.getByRole("group", { name: "curl", exact: true }).waitFor();
  for (const [key, text] of [
    ["c", "curl 'http"],
    ["s", '"impression"'],
  ] as const) {
    await page.keyboard.press(key);
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied).toContain(text);
  }
});

test("keys move through the list, open, close, jump to errors and filter", async () => {
  const visited = await visit();
  const { page, impression, open } = visited;
  impression("a");
  fault(visited, "drop");
  impression("b");
  impression("c");
  await open();
  await page.locator("#row-3").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "#2" }).waitFor();
  await page.keyboard.press("k");
  await page.getByRole("heading", { name: "#3" }).waitFor();
  await page.keyboard.press("[");
  await page.getByRole("heading", { name: "#2" }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".panel").waitFor({ state: "detached" });
  await page.goBack();
  await page.locator(".panel").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.keyboard.type("#1");
  await page.locator("#row-3").waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
});

test("the world's drawer changes faults, assumptions, publishers, state; the header the clock", async () => {
  const { page, world, publisher, impression, open, go } = await visit();
  impression("a");
  await open("#view=world");
  const lose = page.getByRole("button", { name: "Lose 1 in 10 answers" });
  await lose.click();
  await expect.poll(() => world.faults.list().map(({ id }) => id)).toEqual(["lost-answers"]);
  await page.getByRole("button", { name: "Lose 1 in 10 answers", pressed: true }).click();
  await expect.poll(() => world.faults.list()).toEqual([]);
  await page.getByText("More").click();
  await page.getByRole("textbox", { name: "The rule, as JSON" }).fill("{");
  await page.getByRole("button", { name: "Add" }).first().click();
  await page.getByRole("alert").filter({ hasText: "is not valid JSON" }).waitFor();
  await go("view=world&section=assumptions&search=dedup.repeat");
  await page.getByRole("button", { name: "conflict", exact: true }).click();
  await expect.poll(() => world.assumptions["dedup.repeat"]).toBe("conflict");
  await go("view=world&section=publishers");
  await page.locator("summary").filter({ hasText: publisher.id }).click();
  await page.getByRole("button", { name: "Pause" }).first().click();
  await expect.poll(() => world.publishers.at(0).surfaces[0]?.status).toBe("paused");
  await go("view=world&section=state");
  await page.getByRole("button", { name: "Reset this world" }).click();
  expect(world.journal.entries()).toHaveLength(1);
  await page.getByRole("button", { name: "Forget all that happened?" }).click();
  await expect.poll(() => world.journal.entries()).toEqual([]);
  const before = world.clock.now();
  await page.getByRole("button", { name: "frozen" }).click();
  await page.getByRole("button", { name: "+1 h" }).click();
  await expect.poll(() => world.clock.now() - before).toBe(3_600_000);
});

test("a publisher signs up, a scenario is played, and a world of its own goes on from a moment", async () => {
  const { page, server, world, impression, open, go } = await visit();
  impression("a");
  await open("#view=world&section=publishers");
  await page.getByRole("textbox", { name: "Name of a new publisher" }).fill("Newcomer");
  await page.getByRole("button", { name: "Sign up" }).click();
  await page.locator(".point[open]").filter({ hasText: "Newcomer" }).waitFor();
  await go("at=1&tab=state");
  await page.getByRole("button", { name: "Go on from here" }).click();
  await page.waitForURL(`${server.url}/@from-1/_sim/`);
  expect(server.worlds.names()).toContain("from-1");
  await open("#view=world&section=scenarios&search=double-click");
  await page.getByRole("button", { name: "Play" }).click();
  await page.getByRole("button", { name: "Play, and replace this world?" }).click();
  await page.getByRole("heading", { name: "double-click: passed" }).waitFor();
  expect(world.journal.entries().length).toBeGreaterThan(1);
});

test("findings are counted, explained, and mark their rows", async () => {
  const { page, nowhere, open } = await visit();
  nowhere();
  await open();
  await page.getByRole("link", { name: "1 finding" }).click();
  await page.getByText("The path or the method isn't one of the API's.").waitFor();
  await page.locator("#row-1 .marks").filter({ hasText: "⚠ 1" }).waitFor();
  await page.getByRole("link", { name: "#1" }).click();
  await page.getByText("Requests with a path or method that the API doesn't have").waitFor();
});

test("an empty world has lines to paste that work, and names other worlds with traffic", async () => {
  const { page, server, world, impression, open } = await visit();
  senderOf(server.worlds.fork("other", "default")).stats();
  await open();
  await page.getByRole("link", { name: "other" }).first().waitFor();
  const lines = await page.getByRole("group", { name: "A command" }).allInnerTexts();
  expect(lines).toHaveLength(3);
  const [, url = "", key = "", body = ""] =
    /'(.*?)' -H '(.*?)' -d '(.*?)'/.exec(lines[0] ?? "") ?? [];
  const headers = { authorization: key.replace("Authorization: ", "") };
  const answer = await fetch(url, { method: "POST", headers, body: new URLSearchParams(body) });
  expect(answer.status).toBe(200);
  impression("b");
  await page.locator("#row-2").waitFor();
  expect(world.journal.entries().map(({ reason }) => reason)).toEqual(["recorded", "recorded"]);
});

test("the page of a deleted world doesn't make it again", async () => {
  const { page, server } = await visit();
  server.worlds.fork("gone", "default");
  await page.goto(`${server.url}/@gone/_sim/`);
  await page.getByRole("group", { name: "A command" }).first().waitFor();
  server.worlds.delete("gone");
  await page.locator(".connection.ended").waitFor();
  await page.getByRole("alert").filter({ hasText: "World gone was deleted" }).waitFor();
  expect(server.worlds.names()).toEqual(["default"]);
});
