/**
 * The inspector with a full journal of 10,000 entries: how long it takes to show a moment and to ask what if, and the longest
 * task of the page's thread while its list is scrolled from end to end. Needs Chromium for the last. Asking what if takes
 * longest if one publisher sent everything, because then nothing of the past can be left out.
 */

import { chromium as browsers, type Page } from "playwright-core";
import { startServer } from "../src/server.ts";
import { buildRequest } from "../src/spec/build-request.ts";
import { chromium } from "../test/chromium.ts";
import { median, printFigure, printMachine } from "./measure.ts";

const ENTRIES = 10_000;
const SCROLL_STEPS = 200;

const server = await startServer({ port: 0, clock: "frozen" });

/** Nine impressions or clicks for each report, as clients send them. */
function fillJournal(world: string, publishers: number): void {
  const sim = server.worlds.get(world);
  let shown = "";
  for (let sent = 1; sent <= ENTRIES; sent += 1) {
    const { id, apiKey, surfaces } = sim.publishers.at(sent % publishers);
    const of = { publisher_id: id };
    const view = { ...of, surface: surfaces[0]?.id, ad_id: "ad", session_id: `s-${sent}` };
    if (sent % 50 === 0) sim.clock.advance("20s");
    if (sent % 10 === 0) sim.handle(buildRequest("stats", of, { key: apiKey }));
    else if (sent % 10 === 5)
      sim.handle(buildRequest("click", { impression_id: shown }, { key: apiKey }));
    else {
      const { body } = sim.handle(buildRequest("impression", view, { key: apiKey }));
      shown = /imp_\w+/.exec(body)?.[0] ?? shown;
    }
  }
}

async function msOf(path: string, body?: string): Promise<number> {
  const sent = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: body ?? "",
  };
  const begin = performance.now();
  const answer = await fetch(`${server.url}/${path}`, body === undefined ? {} : sent);
  await answer.text();
  if (answer.status !== 200) throw new Error(`${path} got ${answer.status}`);
  return performance.now() - begin;
}

async function printTimes(
  what: string,
  { count, atMost }: { readonly count: number; readonly atMost: number },
  measure: (entry: number) => Promise<number>,
): Promise<void> {
  const times: number[] = [];
  // Spread over the journal, in no order.
  for (let index = 0; index < count; index += 1) {
    times.push(await measure(1 + ((index * 7919) % ENTRIES)));
  }
  printFigure({ name: `${what}, median of ${count}`, value: median(times), unit: "ms", atMost });
  printFigure({ name: `${what}, longest`, value: Math.max(...times), unit: "ms", atMost });
}

/** The longest task of the page's thread in milliseconds that it computed: what other processes took doesn't count. */
async function longestTaskMs(page: Page): Promise<number> {
  const browser = page.context().browser();
  if (browser === null) throw new Error("The page has no browser.");
  await browser.startTracing(page, { categories: ["toplevel", "__metadata", "blink.user_timing"] });
  await page.goto(`${server.url}/_sim/`);
  await page.locator(`#row-${ENTRIES}`).waitFor();
  await page.locator(".list").evaluate(async (scroller, steps) => {
    performance.mark("page");
    for (let step = 0; step <= steps; step += 1) {
      scroller.scrollTop = (scroller.scrollHeight * step) / steps;
      await new Promise(requestAnimationFrame);
    }
  }, SCROLL_STEPS);
  await page.locator("#row-1").waitFor();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: { name: string; pid: number; tid: number; tdur?: number }[];
  };
  // Chromium's own user interface has such a thread, too.
  const marked = traceEvents.find(({ name }) => name === "page");
  const tasks = traceEvents.filter(({ pid, tid }) => pid === marked?.pid && tid === marked.tid);
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000));
}

function printWhatIfs(who: string, path: string): Promise<void> {
  return printTimes(`what if, ${who}`, { count: 12, atMost: 500 }, (entry) =>
    msOf(`${path}/history/${entry}/what-if`, "{}"),
  );
}

printMachine();
fillJournal("default", 4);
fillJournal("alone", 1);
await printTimes("a moment of 10,000 entries", { count: 60, atMost: 100 }, (entry) =>
  msOf(`_sim/history/${entry}`),
);
await printWhatIfs("four publishers", "_sim");
await printWhatIfs("one publisher", "@alone/_sim");
if (chromium === undefined) console.log("No Chromium: the page isn't measured.");
else {
  const browser = await browsers.launch({ executablePath: chromium, args: ["--no-sandbox"] });
  const value = await longestTaskMs(await browser.newPage());
  printFigure({
    name: "opening 10,000 rows and scrolling, longest task",
    value,
    unit: "ms",
    atMost: 100,
  });
  await browser.close();
}
await server.close();
