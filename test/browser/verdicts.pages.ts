/** What a page sees of each verdict if Playwright routes its requests, and what the journal then says. */

import { expect, test } from "../../src/playwright.ts";
import {
  type Case,
  fewCases,
  impression,
  listing,
  nameOf,
  patienceFor,
  show,
} from "../faults/cases.ts";
import { content, expectAsCase, expectSlowBody, type Wording } from "../faults/expect-shown.ts";
import { observePage } from "./observe-page.ts";
import { pageAt } from "./site.ts";

const failed = /^TypeError: Failed to fetch$/;
const wording: Wording = {
  ...content,
  closed: failed,
  reset: failed,
  noise: failed,
  silent: /^AbortError: /,
  // Closed instead, see below.
  half: undefined,
  head: undefined,
};

/** A route can't cut a body off, so it closes the connection. */
function asRouted(one: Case): Case {
  return one.manner === "half" || one.manner === "head" ? { ...one, manner: "closed" } : one;
}

/** What Playwright and the browser's console say of failures. To the page's script they are all the same. */
const reasons: Readonly<Record<string, string>> = {
  closed: "net::ERR_FAILED",
  reset: "net::ERR_FAILED",
  noise: "net::ERR_FAILED",
  silent: "net::ERR_ABORTED",
};

test("a page sees every verdict, or its nearest network error, and the journal says what it saw", async ({
  page,
  sim,
  baseUrl,
}) => {
  const observe = await observePage(page);
  const ends: (string | undefined)[] = [];
  page.on("requestfinished", () => ends.push("finished"));
  page.on("requestfailed", (request) => ends.push(request.failure()?.errorText));
  for (const one of fewCases.map(asRouted)) {
    await test.step(nameOf(one), async () => {
      sim.reset();
      ends.length = 0;
      const shown = await show({ observe, sim, baseUrl }, one);
      expectAsCase(shown, one, wording);
      // The first request is sent without a rule.
      await expect.poll(() => ends).toEqual(["finished", reasons[one.manner] ?? "finished"]);
      expectSlowBody(shown, one);
    });
  }
});

test("reorder: the answer comes as soon as a later one was sent", async ({
  page,
  sim,
  baseUrl,
}) => {
  await observePage(page);
  sim.faults.add({ match: { nth: 1 }, verdict: { kind: "reorder", atMost: "1h" } });
  const order: string[] = [];
  const ask = async (which: string): Promise<void> => {
    await page.evaluate((sent) => plainPage.observe(sent), listing(sim, baseUrl));
    order.push(which);
  };
  const first = ask("first");
  await sim.journal.waitFor();
  await Promise.all([first, ask("second")]);
  expect(order).toEqual(["second", "first"]);
});

test("a page that aborts, goes elsewhere or closes before the answer came got nothing", async ({
  page,
  sim,
  baseUrl,
}) => {
  const observe = await observePage(page);
  const received = (): unknown => sim.journal.entries().map(({ fault }) => fault?.received);
  for (const verdict of [
    { kind: "delay", delay: "1m" },
    { kind: "reorder", atMost: "1m" },
    { kind: "drip", bytesPerSecond: 1 },
  ] as const) {
    sim.reset();
    sim.faults.add({ verdict });
    const seen = await observe({ ...impression(sim, baseUrl), patience: patienceFor(sim) });
    expect(seen.failure).toMatch(/^AbortError: /);
    await expect.poll(received).toEqual(["nothing"]);
  }
  for (const leave of [() => page.goto("about:blank"), () => page.close()]) {
    sim.reset();
    sim.faults.add({ verdict: { kind: "delay", delay: "1m" } });
    await page.goto(pageAt("/plain/"));
    const sending = page.evaluate((sent) => plainPage.observe(sent), impression(sim, baseUrl));
    await sim.journal.waitFor();
    await Promise.all([sending.catch(() => undefined), leave()]);
    await expect.poll(received).toEqual(["nothing"]);
    expect(sim).toHaveRecordedImpression({ times: 1 });
  }
});
