/** The fixtures of `adsim/playwright` in pages: whose requests they answer, who may read that, and how time moves. */

import type { Page } from "@playwright/test";
import { routePages } from "../../src/adapters/playwright/route-pages.ts";
import { createSharedClock } from "../../src/adapters/playwright/shared-clock.ts";
import { expect, test } from "../../src/playwright.ts";
import { impression, listing } from "../faults/cases.ts";
import type { Sent } from "../faults/observe-fetch.ts";
import { observePage } from "./observe-page.ts";

const START_MS = Date.parse("2026-01-15T00:00:00Z");

for (const ad of ["ad-1", "ad-2"]) {
  test(`a world of its own, beside other tests, has only ${ad}`, async ({
    page,
    sim,
    baseUrl,
    apiKey,
    publisher,
    surface,
  }) => {
    const observe = await observePage(page);
    const sent = impression(sim, baseUrl);
    const body = JSON.stringify({ publisher_id: publisher.id, surface: surface.id, ad_id: ad });
    for (let session = 0; session < 3; session += 1) await observe({ ...sent, body });
    expect(publisher.apiKey).toBe(apiKey);
    expect(sim).toHaveRecordedImpression({ ad, surface: surface.id, times: 3 });
    expect(sim).toHaveReceived({ times: 3 });
    expect(sim).toHaveUsedValidKeys();
  });
}

test.describe("with options", () => {
  test.use({
    baseUrl: "http://ads.example/below",
    simOptions: { seed: "42" },
  });

  test("the world is made from them, and answers at the base URL", async ({
    context,
    page,
    sim,
    baseUrl,
  }) => {
    await context.route("http://ads.example/elsewhere", (route) => route.fulfill({ status: 418 }));
    const observe = await observePage(page);
    expect(sim.seed).toBe("42");
    const sent = impression(sim, baseUrl);
    expect(await observe(sent)).toMatchObject({ status: 200 });
    expect(sim.journal.entries().map(({ response }) => response.status)).toEqual([200]);
    expect((await observe({ url: `${baseUrl}/v2` })).status).toBe(404);
    expect((await observe({ url: "http://ads.example/elsewhere" })).status).toBe(418);
  });
});

test("a base URL with a slash at its end is refused", async ({ context, sim }) => {
  const service = { sim, baseUrl: "https://ads.test/", clock: createSharedClock(sim) };
  await expect(routePages(context, service)).rejects.toThrow('baseUrl must not end in "/".');
});

test("a page of any origin reads the headers, and so does a popup", async ({
  context,
  page,
  sim,
  baseUrl,
}) => {
  for (const origin of ["https://app.example", "http://localhost:1"]) {
    await context.route(origin, (route) => route.fulfill({ contentType: "text/html", body: "" }));
    await page.goto(origin);
    expect(await headersIn(page, listing(sim, baseUrl))).toContain("x-ratelimit-remaining");
  }
  const opening = page.waitForEvent("popup");
  await page.evaluate(() => void window.open("/"));
  expect(await headersIn(await opening, listing(sim, baseUrl))).toContain("x-ratelimit-remaining");
});

test("a body arrives in whatever form the page sends it", async ({
  page,
  sim,
  baseUrl,
  apiKey,
}) => {
  await observePage(page);
  const { url, body } = impression(sim, baseUrl);
  const event = String(body);
  await page.evaluate(
    async ([to, key, text]) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const request = new Request(to, { method: "POST", headers, body: text });
      const bodies = [text, new TextEncoder().encode(text), new Blob([text])];
      for (const one of bodies) await fetch(to, { method: "POST", headers, body: one });
      await fetch(request.clone());
    },
    [url, apiKey, event] as const,
  );
  expect(
    sim.journal.entries().map(({ request, response }) => [request.body, response.status]),
  ).toEqual(Array(4).fill([event, 200]));

  sim.journal.clear();
  await page.evaluate(
    ([to, text]) => {
      const form = new FormData();
      form.append("event", new Blob([text]));
      for (const one of [text, new Blob([text]), form]) navigator.sendBeacon(to, one);
    },
    [url, event] as const,
  );
  await sim.journal.waitFor({}, 3);
  for (const { request } of sim.journal.entries()) expect(request.body).toContain(event);
});

function headersIn(page: Page, { url, headers }: Sent): Promise<string[]> {
  return page.evaluate(async (sent) => [...(await fetch(sent.url, sent)).headers.keys()], {
    url,
    headers: { ...headers },
  });
}

test.describe("if the service lets no page in", () => {
  test.use({ simOptions: { assumptions: { "http.cors": "none" } } });

  test("a page can't read the answer", async ({ page, sim, baseUrl }) => {
    const observe = await observePage(page);
    const { failure } = await observe(listing(sim, baseUrl));
    expect(failure).toBe("TypeError: Failed to fetch");
    expect(sim).toHaveReceived({ times: 1 });
  });
});

const now = (page: Page): Promise<number> => page.evaluate(() => Date.now());

test("advance moves the world and all pages together, and delayed answers come at their time", async ({
  context,
  page,
  sim,
  baseUrl,
  advance,
}) => {
  sim.faults.add({ match: { nth: 1 }, verdict: { kind: "delay", delay: "35s" } });
  sim.faults.add({ match: { nth: 2 }, verdict: { kind: "drip", bytesPerSecond: 10_000 } });
  await observePage(page);
  expect(await now(page)).toBe(START_MS);

  await page.evaluate(
    ([sent, startMs]) => {
      document.body.textContent = "";
      const note = (text: string): void => {
        document.body.append(`${text} ${Date.now() - startMs}, `);
      };
      setInterval(() => note("tick"), 240_000);
      void plainPage
        .observe(sent)
        .then(() => note("late"))
        .then(() => new Promise((resolve) => setTimeout(resolve, 1000)))
        .then(() => plainPage.observe(sent))
        .then(() => note("slow"));
    },
    [listing(sim, baseUrl), START_MS] as const,
  );
  await sim.journal.waitFor();

  await advance("34s");
  await expect(page.locator("body")).toHaveText("");
  expect(await advance("566s")).toBe(START_MS + 600_000);
  const notes = async (): Promise<string[]> =>
    (await page.locator("body").innerText()).split(/, ?/).filter(Boolean).sort();
  // On a busy machine the second request is a step late.
  const slow = expect.stringMatching(/^slow \d+$/);
  await expect.poll(notes).toEqual(["late 35000", slow, "tick 240000", "tick 480000"]);
  const other = await context.newPage();
  await observePage(other);
  for (const one of [page, other]) expect(await now(one)).toBe(sim.clock.now());

  // The pages catch up with a world that was moved alone, and sleep through most of a long time.
  sim.clock.advance("1h");
  await advance("30d");
  for (const one of [page, other]) expect(await now(one)).toBe(sim.clock.now());
});
