/** One client's session in five ways: in process, through MSW 2 and 3 in a page, by a Playwright route, over HTTP (R4). */

import type { Browser } from "@playwright/test";
import { digestOf } from "../../src/base/digest.ts";
import { createSimulator } from "../../src/index.ts";
import { expect, test } from "../../src/playwright.ts";
import { startServer } from "../../src/server.ts";
import { journalLines, playSession, serviceOf, sessionOptions } from "./session.ts";
import { pageAt } from "./site.ts";

async function inProcess(): Promise<readonly string[]> {
  const sim = createSimulator(sessionOptions);
  await playSession({ ...serviceOf(sim), baseUrl: "https://ads.test", fetch: sim.fetch });
  return journalLines(sim.journal.entries());
}

async function overHttp(): Promise<readonly string[]> {
  const server = await startServer({ ...sessionOptions, port: 0, clock: "frozen" });
  try {
    const world = server.worlds.get("default");
    await playSession({ ...serviceOf(world), baseUrl: server.url, fetch });
    return journalLines(world.journal.entries());
  } finally {
    await server.close();
  }
}

async function throughMsw(
  browser: Browser,
  path: "/msw-2/" | "/msw-3/",
): Promise<readonly string[]> {
  const page = await browser.newPage();
  try {
    await page.goto(pageAt(path));
    return await page.evaluate(async () => (await mswPage).play());
  } finally {
    await page.close();
  }
}

test.use({ simOptions: sessionOptions });

test("the same session in five ways ends in one journal digest", async ({
  browser,
  page,
  sim,
  baseUrl,
}) => {
  const expected = await inProcess();
  const kinds = new Set(expected.map((line) => JSON.parse(line).fault?.kind));
  expect(kinds.size, "the session meets rules of most kinds").toBeGreaterThan(10);

  const { advance, ...service } = serviceOf(sim);
  await page.exposeFunction("advanceWorld", advance);
  await page.goto(pageAt("/plain/"));
  await page.evaluate((given) => plainPage.play(given), { ...service, baseUrl });

  const ways = {
    "MSW 2": await throughMsw(browser, "/msw-2/"),
    "MSW 3": await throughMsw(browser, "/msw-3/"),
    "a Playwright route": journalLines(sim.journal.entries()),
    HTTP: await overHttp(),
  };
  for (const [way, lines] of Object.entries(ways)) {
    for (const [index, line] of lines.entries()) expect(line, way).toBe(expected[index]);
    expect(digestOf(lines), way).toBe(digestOf(expected));
  }
});
