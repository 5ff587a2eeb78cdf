/** Traffic as a scenario describes it: when requests are sent, independent of answers, and what they ask for. */

import type { Duration } from "../../base/duration.ts";

export interface Traffic {
  readonly for: Duration;
  readonly arrivals: Arrivals;
  /** Operations by weight. Clicks aren't listed: they follow impressions. @default { impression: 1 } */
  readonly mix?: Mix | undefined;
  /** Ordinals or names of signUp steps. One is drawn at random for each request. @default [0] */
  readonly publishers?: readonly (number | string)[] | undefined;
  /** How many of each publisher's surfaces to use, from its first. @default all */
  readonly surfaces?: number | undefined;
  /** Share of impressions that repeat the session, surface and ad of one of the last 100. @default 0 */
  readonly repeatedSessions?: number | undefined;
  /** Whether impressions have session ids. Without them nothing is de-duplicated. @default true */
  readonly sessions?: boolean | undefined;
  /** Share of impressions that are clicked, and how long after. @default none */
  readonly clicks?: { readonly rate: number; readonly after?: Duration | undefined } | undefined;
  /** How long the client waits for an answer. @default "10s" */
  readonly timeout?: Duration | undefined;
}

export interface Mix {
  readonly impression?: number | undefined;
  readonly stats?: number | undefined;
  readonly surfaces?: number | undefined;
  readonly payouts?: number | undefined;
}

/** Requests per unit of time: "8000/m", "133.5/s", "500/h", "11520000/d". */
export type Rate = string;

/** Evenly spaced, or random (a Poisson process). */
export type Spacing = "even" | "poisson";

export type Arrivals =
  | { readonly kind: "constant"; readonly rate: Rate }
  /** The rate changes linearly. */
  | {
      readonly kind: "ramp";
      readonly from: Rate;
      readonly to: Rate;
      readonly spacing?: Spacing | undefined;
    }
  /** Independent arrivals (a Poisson process). */
  | { readonly kind: "poisson"; readonly rate: Rate }
  /**
   * A rate that follows the hours of the day in UTC: 24 weights, interpolated linearly between the middles of hours.
   * @default a publisher's usual day
   */
  | {
      readonly kind: "daily";
      /** The mean rate over a whole day. */
      readonly mean: Rate;
      readonly hours?: readonly number[] | undefined;
      readonly spacing?: Spacing | undefined;
    }
  /** `count` requests at once, at the start of each `every`. @default one burst only */
  | {
      readonly kind: "burst";
      readonly count: number;
      readonly every?: Duration | undefined;
      /** Spreads each burst over this long. @default 0 */
      readonly within?: Duration | undefined;
    }
  /** A recorded trace: arrival times in milliseconds from the start, in ascending order. */
  | { readonly kind: "trace"; readonly atMs: readonly number[] };
