/** Pages that are left while our client has something to send, at a server of another origin: what arrives nevertheless. */

import { type Browser, expect, test } from "@playwright/test";
import { type Server, startServer } from "../../src/server.ts";
import { pageAt } from "./site.ts";

/** Shows the ads, waits until they are recorded, clicks all of them and goes elsewhere at once. */
async function visit(browser: Browser, server: Server, ads: readonly string[]) {
  const { id, apiKey, surfaces } = server.worlds.get("default").publishers.at(0);
  const about = { baseUrl: server.url, apiKey, publisherId: id, surfaces: [surfaces[0]?.id ?? ""] };
  // A context of its own has no connection to the server and knows no answer to a preflight.
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(pageAt("/ads/"));
  const options = { ...about, concurrency: 1 };
  await page.evaluate(([given, names]) => adsPage.show(given, names), [options, ads] as const);
  const next = pageAt("/plain/");
  await page.evaluate((to) => adsPage.clickAndLeave(to), next);
  await page.waitForURL(next);
  return context;
}

for (const [name, visits, adsOfEach] of [
  ["clicks, each followed at once by a navigation, are recorded", 3, 1],
  ["clicks that waited for their turn are recorded", 1, 10],
] as const) {
  test(name, async ({ browser }) => {
    const server = await startServer({ port: 0, cors: "*" });
    try {
      const { audit } = server.worlds.get("default");
      for (let number = 1; number <= visits; number += 1) {
        const ads = Array.from({ length: adsOfEach }, (_, ad) => `ad-${number}-${ad}`);
        const context = await visit(browser, server, ads);
        await expect.poll(() => audit().total.clicks.applied).toBe(number * adsOfEach);
        await context.close();
      }
    } finally {
      await server.close();
    }
  });
}
