/** The inspector in a real browser: with a control token, after a restart of the server, and from a page of another origin. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launch } from "../chromium.ts";
import { senderOf } from "../operation-sender.ts";
import { serve } from "./raw.ts";

const PATIENCE = { timeout: 20_000, interval: 20 };

describe("the inspector", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
  });

  async function visit(url: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const errors: string[] = [];
    const events: number[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text());
    });
    page.on("response", (response) => {
      if (response.url().endsWith("/_sim/events?follow=false")) events.push(response.status());
    });
    const response = await page.goto(url);
    return { page, errors, events, response };
  }

  test("opens from the server's address, and follows what happens", async () => {
    await using server = await serve();
    const { page, errors, events } = await visit(`${server.url}/`);
    expect(page.url()).toBe(`${server.url}/_sim/`);
    await expect.poll(() => events.at(-1), PATIENCE).toBe(200);
    senderOf(server.worlds.get("default")).impression("a");
    await page.locator("#row-1").waitFor();
    expect(await page.locator("#row-1").textContent()).toContain("impression");
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test("asks for the token, and its script and events get through with it", async () => {
    await using server = await serve({ controlToken: "s3cret" });
    const httpCredentials = { username: "me", password: "s3cret" };
    const { errors, events, page } = await visit(`${server.url}/@mine/`, { httpCredentials });
    expect(page.url()).toBe(`${server.url}/@mine/_sim/`);
    await expect.poll(() => events.at(-1), PATIENCE).toBe(200);
    expect(errors).toEqual([]);
    await page.context().close();
    const wrong = await visit(`${server.url}/`, {
      httpCredentials: { username: "me", password: "wrong" },
    });
    expect(wrong.response?.status()).toBe(401);
    await expect.poll(() => wrong.page.textContent("body"), PATIENCE).toContain("token");
    await wrong.page.context().close();
  });

  test("shows the rows of the new server only, after the server was restarted", async () => {
    const first = await serve();
    for (const session of ["a", "b"]) senderOf(first.worlds.get("default")).impression(session);
    const { page } = await visit(`${first.url}/`);
    await page.locator("#row-2").waitFor();
    await first.close();
    await using second = await serve({ port: first.port });
    const { stats } = senderOf(second.worlds.get("default"));
    for (let count = 0; count < 2; count += 1) stats();
    for (const row of [1, 2]) {
      const text = () => page.locator(`#row-${row}`).textContent();
      await expect.poll(text, PATIENCE).toContain("stats");
    }
    await page.context().close();
  });

  test("is closed to a page of another origin, also after the browser was given the token", async () => {
    await using server = await serve({ controlToken: "s3cret", cors: ["*"] });
    const site = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end("<!doctype html><title>a site</title>");
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const httpCredentials = { username: "me", password: "s3cret" };
    const { page } = await visit(`${server.url}/`, { httpCredentials });
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
    const tried = await page.evaluate(async (url) => {
      const loads = (element: HTMLScriptElement | HTMLIFrameElement | HTMLImageElement) =>
        new Promise<string>((resolve) => {
          element.onload = () => resolve("loaded");
          element.onerror = () => resolve("refused");
          document.body.append(element);
        });
      const read = await fetch(`${url}/_sim/publishers`, { credentials: "include" }).then(
        () => "read",
        () => "refused",
      );
      const events = await new Promise((resolve) => {
        const source = new EventSource(`${url}/_sim/events`, { withCredentials: true });
        source.onopen = () => resolve("open");
        source.onerror = () => resolve("refused");
      });
      const script = await loads(
        Object.assign(document.createElement("script"), { src: `${url}/_sim/inspector.js` }),
      );
      return { read, events, script };
    }, server.url);
    expect(tried).toEqual({ read: "refused", events: "refused", script: "refused" });
    site.close();
    await page.context().close();
  });
});
