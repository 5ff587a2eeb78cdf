/** The inspector in a real browser: with a control token, after a restart of the server, and from a page of another origin. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContextOptions, Page } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { launch } from "../chromium.ts";
import { senderOf } from "../operation-sender.ts";
import { serve } from "./raw.ts";

describe("the inspector", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  }, 60_000);
  afterAll(() => browser?.close());

  async function visit(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(url);
    return page;
  }

  const withPassword = (password: string): BrowserContextOptions => ({
    httpCredentials: { username: "me", password },
  });

  test("asks for the token, and its script and events get through with it", async () => {
    await using server = await serve({ controlToken: "s3cret" });
    const page = await visit(`${server.url}/@mine/`, withPassword("s3cret"));
    await page.locator(".connection.live").waitFor();
    expect(page.url()).toBe(`${server.url}/@mine/_sim/`);
    const wrong = await visit(`${server.url}/`, withPassword("wrong"));
    expect(await wrong.textContent("body")).toContain("token");
  });

  test("an address with the token leads to the one without it", async () => {
    await using server = await serve({ controlToken: "s3cret" });
    const { host } = new URL(server.url);
    const page = await visit(`http://x:s3cret@${host}/_sim/#view=findings`);
    await page.getByText("None of the mistakes that adsim knows").waitFor();
    expect(page.url()).toBe(`http://${host}/_sim/#view=findings`);
  });

  test("shows the rows of the new server only, after the server was restarted", async () => {
    const first = await serve();
    for (const session of ["a", "b"]) senderOf(first.worlds.get("default")).impression(session);
    const page = await visit(`${first.url}/`);
    await page.locator("#row-2").waitFor();
    await first.close();
    await page.locator(".connection.reconnecting").waitFor();
    await using second = await serve({ port: first.port });
    const { stats } = senderOf(second.worlds.get("default"));
    for (let count = 0; count < 2; count += 1) stats();
    for (const row of [1, 2])
      await page.locator(`#row-${row}`).filter({ hasText: "stats" }).waitFor();
  });

  test("is closed to a page of another origin, also after the browser was given the token", async () => {
    await using server = await serve({ controlToken: "s3cret", cors: ["*"] });
    const site = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end("<!doctype html><title>a site</title>");
    });
    onTestFinished(() => void site.close());
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const page = await visit(`${server.url}/`, withPassword("s3cret"));
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
    senderOf(server.worlds.get("default")).stats();
    const tried = await page.evaluate(async (url) => {
      const credentials = "include";
      // Nobody may read the answer. It must not be carried out either.
      await fetch(`${url}/_sim/reset`, { method: "POST", mode: "no-cors", credentials });
      const come = (target: EventSource | HTMLScriptElement, good: "open" | "load") =>
        new Promise<string>((resolve) => {
          target.addEventListener(good, () => resolve(good));
          target.addEventListener("error", () => resolve("refused"));
        });
      const script = document.createElement("script");
      script.src = `${url}/_sim/inspector.js`;
      document.body.append(script);
      return await Promise.all([
        fetch(`${url}/_sim/publishers`, { credentials }).then(
          () => "read",
          () => "refused",
        ),
        come(new EventSource(`${url}/_sim/events`, { withCredentials: true }), "open"),
        come(script, "load"),
      ]);
    }, server.url);
    expect(tried).toEqual(["refused", "refused", "refused"]);
    expect(server.worlds.get("default").journal.total).toBe(1);
  });
});
