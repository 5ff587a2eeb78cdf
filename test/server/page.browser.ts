/** A web page on another port whose own JavaScript uses `adsim/client` against a server, in a real browser. */

import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, Page } from "@playwright/test";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type ServerOptions, startServer } from "../../src/server.ts";
import { launch } from "../chromium.ts";

/** What a page is told about the service. */
interface Service {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly publisherId: string;
  readonly surface: string;
}

const pageOfSite = `<!doctype html>
<title>a site</title>
<script type="module">
  import { createAds } from "/client.js";
  globalThis.createAds = createAds;
</script>`;

describe("a page on another port", () => {
  let browser: Browser;
  let site: HttpServer;
  let siteUrl = "";

  beforeAll(async () => {
    const bundle = await rolldown({
      input: join(import.meta.dirname, "../../src/client.ts"),
      platform: "browser",
    });
    const { output } = await bundle.generate({ minify: true });
    const script = output[0].code;
    site = createServer((request, response) => {
      const isScript = request.url === "/client.js";
      response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
      response.end(isScript ? script : pageOfSite);
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    siteUrl = `http://localhost:${(site.address() as AddressInfo).port}/`;
    browser = await launch();
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    site?.close();
  });

  async function visit(
    options: ServerOptions = {},
  ): Promise<{ page: Page; service: Service; url: string }> {
    const { url, worlds, close } = await startServer({ ...options, port: 0 });
    onTestFinished(close);
    const { id, apiKey, surfaces } = worlds.get("default").publishers.at(0);
    const surface = surfaces[0]?.id ?? "none";
    const service = { baseUrl: url, apiKey, publisherId: id, surface };
    const page = await browser.newPage();
    await page.goto(siteUrl);
    return { page, service, url };
  }

  test("delivers 100 events and gets their report, also from a world that it creates itself", async () => {
    const { page, service, url } = await visit();
    for (const world of ["", "/@of-the-page"]) {
      const report = await page.evaluate(
        async ({ baseUrl, surface, ...who }) => {
          const ads = Reflect.get(
            globalThis,
            "createAds",
          )({ ...who, baseUrl, surfaces: [surface] });
          await ads.init();
          for (let index = 0; index < 50; index += 1) {
            ads.click(ads.impression(surface, `ad-${index}`));
          }
          return await ads.close();
        },
        { ...service, baseUrl: url + world },
      );
      expect(report).toEqual({ delivered: 100, undelivered: [], unlisted: 0 });
      const audit = await (await fetch(`${url}${world}/_sim/audit`)).json();
      expect(JSON.stringify(audit)).toContain('"applied":50');
      const journal = await (await fetch(`${url}${world}/_sim/journal?limit=1000`)).json();
      const reasons = journal.entries.map(({ reason }: { reason: string }) => reason);
      expect(reasons.filter((reason: string) => reason === "preflight").length).toBeGreaterThan(0);
      expect(reasons.filter((reason: string) => reason === "recorded")).toHaveLength(100);
      const unmatched = await fetch(`${url}${world}/_sim/journal?unmatched=true`);
      expect((await unmatched.json()).entries).toEqual([]);
    }
  });

  test("gets an error from init within seconds if its origin isn't allowed, and creates no world", async () => {
    const { page, service, url } = await visit({ cors: "off" });
    const error = await page.evaluate(
      async ({ surface, ...who }) => {
        const ads = Reflect.get(
          globalThis,
          "createAds",
        )({ ...who, surfaces: [surface], retry: { firstPauseMs: 10 } });
        return ads.init().then(
          () => "started",
          ({ name, message }: Error) => `${name}: ${message}`,
        );
      },
      { ...service, baseUrl: `${url}/@shut-out` },
    );
    expect(error).toBe(
      "InitError: The surfaces can't be listed: There was no answer: TypeError: Failed to fetch (CORS?)",
    );
    const { worlds } = await (await fetch(`${url}/_sim/worlds`)).json();
    expect(worlds).toHaveLength(1);
  });
});
