/** A server with a world, and the inspector's page of it in a real browser. */

import type { Browser, Page } from "playwright-core";
import { type Server, startServer } from "../../../src/server.ts";
import type { SimulatorCore } from "../../../src/simulator/core.ts";
import type { Publisher } from "../../../src/world/accounts/account.ts";

export interface Visit {
  readonly server: Server;
  readonly world: SimulatorCore;
  readonly publisher: Publisher;
  readonly page: Page;
  /** What the browser complained about: errors of scripts and of the content security policy. */
  readonly complaints: readonly string[];
  /** Opens the page at this hash. */
  open(hash?: string): Promise<void>;
  /** Goes to another place within the open page. */
  go(hash: string): Promise<void>;
  /** Records an impression in this session, and returns the answer's status. */
  impression(session?: string): number;
  close(): Promise<void>;
}

interface VisitOptions {
  readonly width?: number;
  readonly scheme?: "light" | "dark";
  /** How many exchanges the journal keeps. */
  readonly journalEntries?: number;
}

export async function visit(browser: Browser, options: VisitOptions = {}): Promise<Visit> {
  const { width = 1280, scheme = "light", journalEntries = 10_000 } = options;
  const server = await startServer({ port: 0, clock: "frozen", journalEntries });
  const world = server.worlds.get("default");
  const publisher = world.publishers.at(0);
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: scheme,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const complaints: string[] = [];
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on("console", (message) => {
    // A refused request shows on the page, too.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      complaints.push(message.text());
    }
  });
  return {
    server,
    world,
    publisher,
    page,
    complaints,
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
    impression(session) {
      const body = {
        publisher_id: publisher.id,
        surface: publisher.surfaces[0]?.id,
        ad_id: "ad-1",
      };
      const { status } = world.handle({
        method: "POST",
        path: "/v1/impression",
        headers: {
          authorization: `Bearer ${publisher.apiKey}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({ ...body, session_id: session }),
      });
      return status;
    },
    async close() {
      await context.close();
      await server.close();
    },
  };
}
