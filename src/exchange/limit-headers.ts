/** The limit headers beyond X-RateLimit-Remaining, in each of their forms (spec §8 names none). */

import type { Choice } from "../spec/assumptions/catalogue.ts";
import type { Rate } from "../world/limits/algorithm.ts";

/** The name of what is counted together, as clients get to see it. */
export type PoolName = "recording" | "clicks" | "reporting";

/** How things stand with a limit when a response is made. */
export interface LimitState {
  readonly pool: PoolName;
  readonly rate: Rate;
  readonly remaining: number;
  /** The wait until all quota is back, in milliseconds. */
  readonly untilFullMs: number;
  readonly nowMs: number;
}

/** Their names, as they are written for people. */
export const limitHeaderNames: Readonly<Record<Choice<"limit.headers">, readonly string[]>> = {
  remaining: [],
  "limit-reset": ["X-RateLimit-Limit", "X-RateLimit-Reset"],
  ietf: ["RateLimit-Policy", "RateLimit"],
};

export type LimitHeaders = Readonly<Record<string, string>>;

/** How the further headers are written; undefined where there are none. */
export const limitHeaders: Readonly<
  Record<Choice<"limit.headers">, ((state: LimitState) => LimitHeaders) | undefined>
> = {
  remaining: undefined,
  "limit-reset": ({ rate, untilFullMs, nowMs }) => ({
    "x-ratelimit-limit": String(rate.requests),
    "x-ratelimit-reset": String(Math.ceil((nowMs + untilFullMs) / 1000)),
  }),
  // draft-ietf-httpapi-ratelimit-headers: structured fields, a policy by its name.
  ietf: ({ pool, rate, remaining, untilFullMs }) => ({
    "ratelimit-policy": `"${pool}";q=${rate.requests};w=${rate.windowMs / 1000}`,
    ratelimit: `"${pool}";r=${remaining};t=${Math.ceil(untilFullMs / 1000)}`,
  }),
};
