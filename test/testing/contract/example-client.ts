/** A small client of the API, as an integrator writes one, and defects that it may have. */

import { buildRequest } from "../../../src/spec/build-request.ts";
import type { ApiRequest } from "../../../src/spec/messages.ts";
import type { OperationId } from "../../../src/spec/operations.ts";
import type { Driver, DriverContext } from "../../../src/testing/driver/driver.ts";
import {
  isClickAnswer,
  isImpressionAnswer,
  isPayoutsAnswer,
  isStatsAnswer,
  isSurfacesAnswer,
} from "../defects/answers.ts";

export interface Defects {
  /** It repeats a click whose answer it didn't get. */
  readonly clicksAgain?: boolean | undefined;
  /** How impressions are sent. @default "json" */
  readonly encoding?: "json" | "form" | "query" | "spaced" | undefined;
  /** What the Authorization header begins with. @default "Bearer" */
  readonly scheme?: string | undefined;
  /** How long it waits for an answer, in milliseconds. @default 5000 */
  readonly patienceMs?: number | undefined;
}

export function createExampleClient(
  context: DriverContext,
  { clicksAgain = false, encoding = "json", scheme = "Bearer", patienceMs = 5000 }: Defects = {},
): Driver<{ readonly impression_id: string }> {
  const { baseUrl, apiKey, publisherId, surfaces, fetch, timers } = context;
  const isAnswer = {
    impression: isImpressionAnswer,
    click: isClickAnswer,
    stats: isStatsAnswer(publisherId),
    surfaces: isSurfacesAnswer(surfaces),
    payouts: isPayoutsAnswer,
  };

  async function once(operation: OperationId, request: ApiRequest): Promise<unknown> {
    const { method, path, query, headers, body } = request;
    const controller = new AbortController();
    const timer = timers.setTimeout(() => controller.abort(new Error("no answer")), patienceMs);
    try {
      const response = await fetch(`${baseUrl}${path}${query === undefined ? "" : `?${query}`}`, {
        method,
        headers: { ...headers, authorization: `${scheme} ${apiKey}`, "x-client": "1" },
        ...(body === undefined ? {} : { body: String(body) }),
        signal: controller.signal,
      });
      const text = await response.text();
      const { status } = response;
      if (!response.ok) throw Object.assign(new Error(`status ${status}`), { status });
      const answer: unknown = JSON.parse(text);
      if (status !== 200 || !isAnswer[operation](answer)) throw new Error("the answer is wrong");
      return answer;
    } finally {
      timers.clearTimeout(timer);
    }
  }

  /** Sends it again after a pause, up to twice, if no answer came or a wrong one. */
  async function send(
    operation: OperationId,
    request: ApiRequest,
    repeats: boolean,
  ): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once(operation, request);
      } catch (error) {
        const isAnswered = error instanceof Error && "status" in error;
        if (!repeats || isAnswered || attempt === 3) throw error;
        await new Promise<void>((resolve) => {
          timers.setTimeout(resolve, attempt * 1000);
        });
      }
    }
  }

  function post(
    operation: OperationId,
    values: Record<string, string>,
    repeats: boolean,
  ): Promise<unknown> {
    const request = buildRequest(operation, values, {
      encoding: encoding === "spaced" ? "json" : encoding,
    });
    const spaced = encoding === "spaced" && { body: JSON.stringify(values, null, 1) };
    return send(operation, { ...request, ...spaced }, repeats);
  }

  function get(operation: OperationId, values: object): Promise<unknown> {
    return send(
      operation,
      buildRequest(operation, { publisher_id: publisherId, ...values }, {}),
      true,
    );
  }

  return {
    impression: async ({ surface, ad, session }) =>
      (await post(
        "impression",
        { publisher_id: publisherId, surface, ad_id: ad, session_id: session },
        true,
      )) as { readonly impression_id: string },
    click: ({ impression_id }) => post("click", { impression_id }, clicksAgain),
    stats: (query) => get("stats", query),
    surfaces: () => get("surfaces", {}),
    payouts: (query) => get("payouts", query),
    close() {},
  };
}
