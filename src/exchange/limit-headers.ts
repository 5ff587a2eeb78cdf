/** The additional limit headers besides X-RateLimit-Remaining, by choice of `limit.headers` (spec §8 names none). */

import type { Choice } from "../spec/assumptions/catalogue.ts";
import type { Rate } from "../world/limits/algorithm.ts";

/** The name of a pool of requests that are counted together. Clients see it in headers. */
export type PoolName = "recording" | "clicks" | "reporting";

/** The state of a limit at the time of a response. */
export interface LimitState {
  readonly pool: PoolName;
  readonly rate: Rate;
  readonly remaining: number;
  /** The wait until all quota is back, in milliseconds. */
  readonly untilFullMs: number;
  readonly nowMs: number;
}

/** The names of the additional headers, in their usual spelling. */
export const limitHeaderNames: Readonly<Record<Choice<"limit.headers">, readonly string[]>> = {
  remaining: [],
  "limit-reset": ["X-RateLimit-Limit", "X-RateLimit-Reset"],
  ietf: ["RateLimit-Policy", "RateLimit"],
};

export type LimitHeaders = Readonly<Record<string, string>>;

/** Writes the additional headers; undefined if there are none. */
export const limitHeaders: Readonly<
  Record<Choice<"limit.headers">, ((state: LimitState) => LimitHeaders) | undefined>
> = {
  remaining: undefined,
  "limit-reset": ({ rate, untilFullMs, nowMs }) => ({
    "x-ratelimit-limit": String(rate.requests),
    "x-ratelimit-reset": String(Math.ceil((nowMs + untilFullMs) / 1000)),
  }),
  // draft-ietf-httpapi-ratelimit-headers: structured fields that name the policy.
  ietf: ({ pool, rate, remaining, untilFullMs }) => ({
    "ratelimit-policy": `"${pool}";q=${rate.requests};w=${rate.windowMs / 1000}`,
    ratelimit: `"${pool}";r=${remaining};t=${Math.ceil(untilFullMs / 1000)}`,
  }),
};
