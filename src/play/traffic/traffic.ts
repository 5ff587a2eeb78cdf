/** Traffic as a scenario describes it: when requests come (whatever the answers do), and what they ask. */

import type { Duration } from "../../base/duration.ts";

export interface Traffic {
  readonly for: Duration;
  readonly arrivals: Arrivals;
  /** What arrivals ask for, by weight. Clicks follow from impressions instead. @default { impression: 1 } */
  readonly mix?: Mix | undefined;
  /** By ordinal or sign-up name; they take turns at random. @default [0] */
  readonly publishers?: readonly (number | string)[] | undefined;
  /** Among whose surfaces impressions are spread: how many of each publisher's, from its first. @default all */
  readonly surfaces?: number | undefined;
  /** Share of impressions that repeat the session, surface and ad of one of the last 100. @default 0 */
  readonly repeatedSessions?: number | undefined;
  /** Without session ids nothing is de-duplicated. @default true */
  readonly sessions?: boolean | undefined;
  /** Share of impressions that are clicked, and how long after. @default none */
  readonly clicks?: { readonly rate: number; readonly after?: Duration | undefined } | undefined;
  /** When the client gives up on a request. @default "10s" */
  readonly timeout?: Duration | undefined;
}

export interface Mix {
  readonly impression?: number | undefined;
  readonly stats?: number | undefined;
  readonly surfaces?: number | undefined;
  readonly payouts?: number | undefined;
}

/** "8000/m", "133.5/s", "500/h", "11520000/d": requests in a unit of time. */
export type Rate = string;

/** How evenly arrivals follow their rate. */
export type Spacing = "even" | "poisson";

export type Arrivals =
  | { readonly kind: "constant"; readonly rate: Rate }
  /** Straight from one rate to the other. */
  | {
      readonly kind: "ramp";
      readonly from: Rate;
      readonly to: Rate;
      readonly spacing?: Spacing | undefined;
    }
  /** Independent of one another. */
  | { readonly kind: "poisson"; readonly rate: Rate }
  /** A rate that follows the hours of the day in UTC: 24 weights, with straight lines between the middles of hours. @default a publisher's usual day */
  | {
      readonly kind: "daily";
      /** Over a whole day. */
      readonly mean: Rate;
      readonly hours?: readonly number[] | undefined;
      readonly spacing?: Spacing | undefined;
    }
  /** So many at once, at the start of each `every`. @default once */
  | {
      readonly kind: "burst";
      readonly count: number;
      readonly every?: Duration | undefined /** All within this long. @default 0 */;
      readonly within?: Duration | undefined;
    }
  /** A recorded trace: when each came, in milliseconds from the start, in order. */
  | { readonly kind: "trace"; readonly atMs: readonly number[] };
