/** A small client of the API, as an integrator writes one, and ways to change what it sends. */

import { buildRequest } from "../../../src/spec/build-request.ts";
import type { OperationId } from "../../../src/spec/operations.ts";
import { successMismatch } from "../../../src/spec/responses.ts";
import type { Driver, DriverContext } from "../../../src/testing/driver/driver.ts";

export interface Receipt {
  readonly impression_id: string;
}

/** It sends at once, and has no queue. */
export type ExampleClient = Driver<Receipt> &
  Required<Pick<Driver<Receipt>, "click" | "stats" | "surfaces" | "payouts" | "close">>;

export interface ExampleOptions {
  /** It repeats a click whose answer it didn't get. */
  readonly clicksAgain?: boolean | undefined;
  /** How impressions and clicks are sent. @default "json" */
  readonly encoding?: "json" | "form" | "query" | undefined;
}

const ATTEMPTS = 3;
const PATIENCE_MS = 5000;

export function createExampleClient(
  { baseUrl, apiKey: key, publisherId: publisher_id, fetch, timers }: DriverContext,
  { clicksAgain = false, encoding }: ExampleOptions = {},
): ExampleClient {
  async function once(operation: OperationId, values: Record<string, unknown>): Promise<unknown> {
    const request = buildRequest(operation, values, { key, encoding });
    const { method, path, query, headers = {}, body } = request;
    const controller = new AbortController();
    const timer = timers.setTimeout(() => controller.abort(new Error("no answer")), PATIENCE_MS);
    try {
      const response = await fetch(`${baseUrl}${path}${query === undefined ? "" : `?${query}`}`, {
        ...{ method, headers, signal: controller.signal },
        body: body?.toString() ?? null,
      });
      const { status } = response;
      const text = await response.text();
      if (!response.ok) throw Object.assign(new Error(`status ${status}`), { status });
      const wrong = successMismatch(operation, text, { get: (name) => values[name]?.toString() });
      if (status !== 200 || wrong !== undefined) throw new Error(`the answer is wrong: ${wrong}`);
      return JSON.parse(text);
    } finally {
      timers.clearTimeout(timer);
    }
  }

  /** Sends it again after a pause if no answer came, or a wrong one. */
  async function send(operation: OperationId, values: object, repeats = true): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once(operation, { ...values });
      } catch (error) {
        const isAnswered = error instanceof Error && "status" in error;
        if (!repeats || isAnswered || attempt === ATTEMPTS) throw error;
        await new Promise<void>((resolve) => {
          timers.setTimeout(resolve, attempt * 1000);
        });
      }
    }
  }

  return {
    async impression({ surface, ad, session }) {
      const view = { publisher_id, surface, ad_id: ad, session_id: session };
      return (await send("impression", view)) as Receipt;
    },
    click: ({ impression_id }) => send("click", { impression_id }, clicksAgain),
    stats: (query) => send("stats", { publisher_id, ...query }),
    surfaces: () => send("surfaces", { publisher_id }),
    payouts: (query) => send("payouts", { publisher_id, ...query }),
    close() {},
  };
}

interface Changeable {
  readonly headers: Record<string, string>;
  /** Of an impression or a click, in JSON. */
  readonly body: Record<string, unknown>;
}

/** The context with a fetch that changes every request. */
export function sending(
  context: DriverContext,
  change: (request: Changeable) => void,
): DriverContext {
  return {
    ...context,
    fetch(url, init = {}) {
      const isPost = typeof init.body === "string";
      const changed: Changeable = {
        headers: { ...(init.headers as Record<string, string>) },
        body: isPost ? JSON.parse(String(init.body)) : {},
      };
      change(changed);
      const body = isPost ? JSON.stringify(changed.body) : null;
      return context.fetch(url, { ...init, headers: changed.headers, body });
    },
  };
}
