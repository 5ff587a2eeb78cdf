/** A server with a world, and the inspector's page of it in a real browser, until the test ends. */

import type { Browser, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { type Server, startServer } from "../../../src/server.ts";
import type { SimulatorCore } from "../../../src/simulator/core.ts";
import { type Sender, senderOf } from "../../operation-sender.ts";

export interface Visit extends Sender {
  readonly server: Server;
  readonly world: SimulatorCore;
  readonly page: Page;
  /** What the browser complained about: errors of scripts and of the content security policy. */
  readonly complaints: readonly string[];
  /** Opens the page at this hash. */
  open(hash?: string): Promise<void>;
  /** Goes to another place within the open page. */
  go(hash: string): Promise<void>;
}

export async function visit(
  browser: Browser,
  { width = 1280, colorScheme = "light" as "light" | "dark" } = {},
): Promise<Visit> {
  const server = await startServer({ port: 0, clock: "frozen" });
  onTestFinished(() => server.close());
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme,
    permissions: ["clipboard-read", "clipboard-write"],
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
  const world = server.worlds.get("default");
  return {
    ...senderOf(world),
    ...{ server, world, page, complaints },
    async open(hash = "") {
      await page.goto("about:blank");
      await page.goto(`${server.url}/_sim/${hash}`);
      await page.locator(".connection.live").waitFor();
    },
    async go(hash) {
      await page.evaluate((to) => {
        location.hash = to;
      }, hash);
    },
  };
}
