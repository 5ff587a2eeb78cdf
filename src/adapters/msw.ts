/**
 * The simulator as MSW handlers, for msw 2.12 and later and for msw 3. Only `http` is used, which both have. A redirect is
 * answered as such: msw 3 follows it as fetch does, msw 2 doesn't send a body again and rejects.
 */

import { http } from "msw";
import * as v from "valibot";
import { InputError, parseInput } from "../base/input.ts";
import type { Faults, Transport } from "../faults/faults.ts";
import type { Verdict } from "../faults/verdict.ts";
import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import { deliverAnswer, toApiRequest } from "./fetch.ts";
import { createOvertaking } from "./hold-back.ts";

/** Where the simulated service is found. */
export interface HandlerOptions {
  /**
   * The base address of the API, the part before `/v1`: an origin, with a path or without. In a browser it may be
   * relative to the page. Everything below it is answered, an unknown path with 404.
   *
   * @default paths below `/v1` of any origin
   */
  readonly baseUrl?: string | URL | undefined;
}

/** What answers: a simulator, or anything with its `handle`. */
export interface Handling {
  handle(request: ApiRequest): ApiResponse;
  /** Fault rules that MSW can't carry out are refused from then on that there are handlers. */
  readonly faults?: Pick<Faults, "limitTo"> | undefined;
}

/**
 * Handlers for `setupServer` and `setupWorker`. Requests that are not the service's are left to the other handlers and,
 * after them, to the network.
 *
 * @throws InputError for a base URL that can't be one, and where a fault rule is in force that MSW can't carry out.
 */
export function createHandlers(
  sim: Handling,
  options: HandlerOptions = {},
): ReturnType<typeof http.all>[] {
  if (typeof sim?.handle !== "function") {
    throw new InputError("sim", "must be a simulator, as createSimulator makes it");
  }
  const { baseUrl } = parseInput(optionsSchema, options);
  const pathOf = baseUrl === undefined ? anywhere : below(parseBaseUrl(baseUrl));
  sim.faults?.limitTo(mswTransport);
  const overtaking = createOvertaking();
  return [
    http.all(
      ({ request }) => pathOf(new URL(request.url)) !== undefined,
      async ({ request }) => {
        const { signal, url } = request;
        const answer = sim.handle(await toApiRequest(request, pathOf(new URL(url))));
        const arriving = deliverAnswer(answer, { signal, overtaking });
        if (answer.delivery === undefined) return arriving;
        // Rejects where the connection breaks, or the client doesn't wait: to MSW that is one network error.
        return arriving.catch(() => Response.error());
      },
    ),
  ];
}

/** MSW has one way of giving no response: a network error, which names no cause. It stands for a closed connection. */
export const mswTransport: Transport = { name: "msw", whyNot };

function whyNot(verdict: Verdict): string | undefined {
  switch (verdict.kind) {
    case "reset":
      return `${noReset}. Use { "kind": "empty" }, ${otherTransports}`;
    case "drop":
    case "lose-response":
      return verdict.as === "reset" ? `${noReset}. Use as "close", ${otherTransports}` : undefined;
    case "garbage":
      return verdict.as === "response"
        ? `MSW sends nothing that isn't HTTP. Use as "body", ${otherTransports}`
        : undefined;
    default:
      return undefined;
  }
}

const noReset = "under MSW a reset looks no different from a closed connection";
const otherTransports = "or sim.fetch or the server";

const optionsSchema = v.strictObject({
  baseUrl: v.optional(v.union([v.string(), v.instance(URL)], "must be a string or a URL")),
});

/** The API's path in a URL, as it was sent; undefined for a URL that isn't the API's. */
type PathOf = (url: URL) => string | undefined;

function anywhere(url: URL): string | undefined {
  return url.pathname === "/v1" || url.pathname.startsWith("/v1/") ? url.pathname : undefined;
}

function below(base: URL): PathOf {
  const prefix = base.pathname.endsWith("/") ? base.pathname.slice(0, -1) : base.pathname;
  return ({ origin, pathname }) => {
    if (origin !== base.origin) return undefined;
    if (pathname === prefix) return "/";
    return pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : undefined;
  };
}

function parseBaseUrl(baseUrl: string | URL): URL {
  // Only a browser has a location.
  const page = (globalThis as { location?: { href?: string } }).location?.href;
  const url = URL.canParse(baseUrl, page) ? new URL(baseUrl, page) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InputError("baseUrl", 'must be an http or https URL, such as "https://ads.example"');
  }
  if (url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") {
    throw new InputError("baseUrl", "must hold no query, fragment, user name or password");
  }
  return url;
}
