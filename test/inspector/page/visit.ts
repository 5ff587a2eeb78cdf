/** The inspector in a real browser: the page of a server, or of a trace file, until the test ends. */

import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "@playwright/test";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { type Server, startServer } from "../../../src/server.ts";
import type { SimulatorCore } from "../../../src/simulator/core.ts";
import { launch } from "../../chromium.ts";
import { type Sender, senderOf } from "../../operation-sender.ts";
import { fileOf } from "../../temporary-folder.ts";

let browser: Browser;

/** Each file calls it once: they share this module. */
export function useBrowser(): void {
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());
}

interface Opened {
  readonly page: Page;
  /** What the browser complained about: errors of scripts and of the content security policy. */
  readonly complaints: string[];
  /** Goes to another place within the open page. */
  go(hash: string): Promise<void>;
}

async function newPage(options: BrowserContextOptions): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on("console", (message) => {
    // A refused request shows on the page, too.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      complaints.push(message.text());
  });
  const goTo = (to: string): void => {
    location.hash = to;
  };
  return { page, complaints, go: (hash) => page.evaluate(goTo, hash) };
}

export interface Visit extends Opened, Sender {
  readonly server: Server;
  readonly world: SimulatorCore;
  /** Opens the page at this hash. */
  open(hash?: string): Promise<void>;
}

/** A server with a world, and a browser for its page. */
export async function visit(options: BrowserContextOptions = {}): Promise<Visit> {
  const server = await startServer({ port: 0, clock: "frozen" });
  onTestFinished(() => server.close());
  const world = server.worlds.get("default");
  const opened = await newPage(options);
  const { page } = opened;
  return {
    ...senderOf(world),
    ...opened,
    ...{ server, world },
    async open(hash = "") {
      await page.goto("about:blank");
      await page.goto(`${server.url}/_sim/${hash}`);
      await page.locator(".connection.live").waitFor();
    },
  };
}

/** The page of a trace, with the network off. It also complains of all that the page tries to load. */
export async function openFile(html: string, hash = ""): Promise<Opened> {
  const opened = await newPage({ offline: true });
  const { page, complaints } = opened;
  const url = pathToFileURL(fileOf(html, "trace.html")).href;
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== url) complaints.push(request.url());
  });
  await page.goto(url + hash);
  await page.locator(".file").waitFor();
  return opened;
}
