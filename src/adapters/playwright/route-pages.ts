/** Lets a simulator answer the pages of a browser context. A Playwright route can only fulfil a request whole, or abort it. */

import type { BrowserContext, Page, Request, Route } from "@playwright/test";
import { InputError } from "../../base/input.ts";
import { orUndefined } from "../../base/text.ts";
import type { ApiResponse } from "../../spec/messages.ts";
import { parseBaseUrl, pathBelow } from "../base-url.ts";
import type { Simulator } from "../create-simulator.ts";
import { createFetch } from "../fetch.ts";
import type { SharedClock } from "./shared-clock.ts";

/**
 * @param service Everything below its base URL is answered.
 * @returns a function that ends the requests that are still unanswered, as if their pages had left.
 * @throws InputError (as a rejection) for an invalid base URL.
 */
export async function routePages(
  context: BrowserContext,
  service: { readonly sim: Simulator; readonly baseUrl: string; readonly clock: SharedClock },
): Promise<() => void> {
  const { sim, baseUrl, clock } = service;
  if (baseUrl.endsWith("/")) throw new InputError("baseUrl", 'must not end in "/"');
  const base = parseBaseUrl(baseUrl);
  const pathOf = pathBelow(base);
  const send = createFetch((request) => uncut(sim.handle(request)), clock.timers);
  const unanswered = new Map<Request, AbortController>();

  async function answer(route: Route, request: Request): Promise<void> {
    const leaving = new AbortController();
    const { signal } = leaving;
    unanswered.set(request, leaving);
    clock.activity += 1;
    const url = new URL(request.url());
    try {
      const response = await send(`${base.origin}${pathOf(url)}${url.search}`, {
        method: request.method(),
        headers: request.headers(),
        body: request.postDataBuffer() as Uint8Array<ArrayBuffer> | null,
        signal,
      });
      const body = Buffer.from(await response.arrayBuffer());
      // Without this header Playwright would let all pages read the answer. Those of this origin may in any case.
      const closed = { "access-control-allow-origin": base.origin };
      const headers = { ...closed, ...Object.fromEntries(response.headers) };
      clock.sent.add(request);
      await route.fulfill({ status: response.status, headers, body });
    } catch (error) {
      if (signal.aborted) return;
      await route.abort();
      // An error in a rule fails the test.
      if ((error as Error).message !== "fetch failed") throw error;
    } finally {
      unanswered.delete(request);
    }
  }

  function noteEnd(request: Request): void {
    clock.activity += 1;
    clock.sent.delete(request);
    unanswered.get(request)?.abort();
  }

  context.on("requestfinished", noteEnd);
  context.on("requestfailed", noteEnd);
  context.on("page", (page) => {
    page.on("close", () => {
      for (const [request, leaving] of unanswered) if (pageOf(request) === page) leaving.abort();
    });
  });
  await context.route((url) => pathOf(url) !== undefined, answer);
  return () => {
    for (const leaving of unanswered.values()) leaving.abort();
  };
}

/** Requests of a service worker have no frame, and those for a new document may not have one yet: asking for it throws. */
function pageOf(request: Request): Page | undefined {
  return orUndefined(() => request.frame().page());
}

/** Closes the connection in place of a cut: a page would take a part of a body for the whole. */
function uncut(answer: ApiResponse): ApiResponse {
  if (answer.delivery?.kind !== "cut") return answer;
  answer.delivery.undelivered();
  return { ...answer, delivery: { ...answer.delivery, kind: "close" } };
}
