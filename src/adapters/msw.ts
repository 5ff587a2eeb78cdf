/** The simulator as MSW handlers, for msw 3 and for msw 2.12 and later. It uses only `http`, which both have. */

import { http } from "msw";
import * as v from "valibot";
import { InputError, parseInput } from "../base/input.ts";
import { strictObject } from "../base/schemas.ts";
import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import { parseBaseUrl, pathBelow } from "./base-url.ts";
import type { Simulator } from "./create-simulator.ts";
import { takeEnvironment } from "./environment.ts";
import { toApiRequest } from "./fetch.ts";
import { deliverAnswer } from "./fetch-deliveries.ts";
import { createOvertaking } from "./hold-back.ts";

/** The address of the simulated service. */
export interface HandlerOptions {
  /**
   * The base URL of the API, which is the part before `/v1`: an origin with or without a path. In a browser it may be relative
   * to the page. The handlers answer everything below it, unknown paths with 404.
   *
   * @default paths below `/v1` of any origin
   */
  readonly baseUrl?: string | URL | undefined;
}

/** A simulator, or anything with its `handle`. */
export interface Handling {
  handle(request: ApiRequest): ApiResponse;
}

/**
 * Handlers for `setupServer` and `setupWorker`. Other handlers, and then the network, get the requests that aren't for the
 * service.
 *
 * @throws InputError for an invalid base URL.
 */
export function createHandlers(
  sim: Handling,
  options: HandlerOptions = {},
): ReturnType<typeof http.all>[] {
  if (typeof sim?.handle !== "function") {
    throw new InputError("sim", "must be a simulator, as createSimulator returns it");
  }
  const { baseUrl } = parseInput(optionsSchema, options);
  const pathOf = baseUrl === undefined ? anywhere : pathBelow(parseBaseUrl(baseUrl));
  if ("assume" in sim) takeEnvironment(sim as Simulator);
  const overtaking = createOvertaking();
  return [
    http.all(
      ({ request }) => pathOf(new URL(request.url)) !== undefined,
      async ({ request }) => {
        const { signal, url } = request;
        const answer = sim.handle(await toApiRequest(request, pathOf(new URL(url))));
        // Rejects if the connection breaks, however it does, or the client leaves: MSW has one network error for all.
        return await deliverAnswer(answer, overtaking, { signal }).catch(() => Response.error());
      },
    ),
  ];
}

const optionsSchema = strictObject({
  baseUrl: v.optional(v.union([v.string(), v.instance(URL)], "must be a string or a URL")),
});

function anywhere(url: URL): string | undefined {
  return url.pathname === "/v1" || url.pathname.startsWith("/v1/") ? url.pathname : undefined;
}
