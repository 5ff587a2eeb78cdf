/**
 * Traffic as a scenario describes it: when requests are sent, independent of answers, and what they ask for. Part of the
 * grammar of scenarios, as scenario/types.ts is.
 */

import type { Duration } from "../../base/duration.ts";

export interface Traffic {
  readonly for: Span;
  readonly arrivals: Arrivals;
  /** Operations by weight. Clicks aren't listed: they follow impressions. @default { impression: 1 } */
  readonly mix?: Mix | undefined;
  /** Ordinals or names of signUp steps. One is drawn at random for each request. @minItems 1 @default [0] */
  readonly publishers?: readonly Sender[] | undefined;
  /** How many of each publisher's surfaces to use, from its first. Default: all. @asType integer @minimum 1 */
  readonly surfaces?: number | undefined;
  /** Share of impressions that repeat the session, surface and ad of one of the last 100. @default 0 */
  readonly repeatedSessions?: Share | undefined;
  /** Whether impressions have session ids. Without them nothing is de-duplicated. @default true */
  readonly sessions?: boolean | undefined;
  /** Share of impressions that are clicked, and how long after. Default: none. */
  readonly clicks?: { readonly rate: Share; readonly after?: Duration | undefined } | undefined;
  /** How long the client waits for an answer. @default "10s" */
  readonly timeout?: Patience | undefined;
}

/** Longer than 0, such as "10m". */
type Span = Duration;

/** Longer than 0 and at most a day, such as "10s". */
export type Patience = Duration;

/** A publisher's ordinal, or the name of the step that signed it up. @minimum 0 @multipleOf 1 */
type Sender = number | string;

/** A share from 0 to 1. @minimum 0 @maximum 1 */
type Share = number;

/** A weight from 0 to 1,000,000,000. Draws have 32 bits: next to a larger one, 1 would never be drawn. @minimum 0 @maximum 1000000000 */
type Weight = number;

/** Weights of operations, one of them above 0. */
export interface Mix {
  readonly impression?: Weight | undefined;
  readonly stats?: Weight | undefined;
  readonly surfaces?: Weight | undefined;
  readonly payouts?: Weight | undefined;
}

/**
 * A number of requests per unit of time, such as "133.5/s", "8000/m", "500/h" or "11520000/d".
 *
 * @pattern ^\d{1,12}(?:\.\d{1,6})?/[smhd]$
 */
export type Rate = string;

/** A rate above 0, such as "8000/m". */
type RateAboveZero = Rate;

/** Evenly spaced, or random (a Poisson process). */
export type Spacing = "even" | "poisson";

export type Arrivals =
  | { readonly kind: "constant"; readonly rate: RateAboveZero }
  /** The rate changes linearly. */
  | {
      readonly kind: "ramp";
      readonly from: Rate;
      readonly to: Rate;
      readonly spacing?: Spacing | undefined;
    }
  /** Independent arrivals (a Poisson process). */
  | { readonly kind: "poisson"; readonly rate: RateAboveZero }
  /** A rate that follows the hours of the day in UTC. */
  | {
      readonly kind: "daily";
      /** The mean rate over a whole day. */
      readonly mean: RateAboveZero;
      /** Interpolated linearly between the middles of hours. Default: a publisher's usual day. */
      readonly hours?: Hours | undefined;
      readonly spacing?: Spacing | undefined;
    }
  /** `count` requests at once, at the start of each `every`. */
  | {
      readonly kind: "burst";
      /** @asType integer @minimum 1 @maximum 100000000 */
      readonly count: number;
      /** Default: one burst only. */
      readonly every?: Span | undefined;
      /** Spreads each burst over this long. @default 0 */
      readonly within?: Duration | undefined;
    }
  /** A recorded trace. */
  | { readonly kind: "trace"; readonly atMs: Instants };

/** 24 weights, one for each hour of the day in UTC, one of them above 0. @minItems 24 @maxItems 24 */
type Hours = readonly Weight[];

/** Milliseconds from the start, 0 or more, in ascending order. @minItems 1 @maxItems 1000000 */
type Instants = readonly FromStart[];

/** Milliseconds from the start, 0 or more. @minimum 0 @maximum 9007199254740991 */
type FromStart = number;
