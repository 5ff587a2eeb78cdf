/** Arrival processes as they are written, checked and in numbers; and how many requests they make at most. */

import { DAY_MS } from "../../base/duration.ts";
import { InputError, inField } from "../../base/input.ts";
import { dayFrom, peakOf, readHours } from "./day-curve.ts";
import { createFlow, evenArrivals, type Flow } from "./flow.ts";
import { readRate, readSomeRate } from "./rate.ts";
import { readDuration, readSomeTime } from "./read-duration.ts";
import { squareRoot } from "./square-root.ts";
import type { Arrivals, Spacing, Traffic } from "./traffic.ts";

export type Shape = Line | Daily | Bursts | Trace;

/** A rate that goes straight from one value to the other. Rates are requests in a millisecond. */
interface Line {
  readonly kind: "line";
  readonly from: number;
  readonly to: number;
  readonly spacing: Spacing;
}

interface Daily {
  readonly kind: "daily";
  readonly mean: number;
  readonly hours: readonly number[];
  readonly spacing: Spacing;
}

export interface Bursts {
  readonly kind: "bursts";
  readonly count: number;
  /** `Infinity`: there is only one. */
  readonly everyMs: number;
  readonly withinMs: number;
}

interface Trace {
  readonly kind: "trace";
  readonly atMs: readonly number[];
}

/** @throws InputError that names the field of `arrivals` at fault. */
export function readShape(arrivals: Arrivals): Shape {
  switch (arrivals.kind) {
    case "constant":
    case "poisson": {
      const rate = readSomeRate("rate", arrivals.rate);
      const spacing = arrivals.kind === "poisson" ? "poisson" : "even";
      return { kind: "line", from: rate, to: rate, spacing };
    }
    case "ramp": {
      const from = readRate("from", arrivals.from);
      const spacing = readSpacing(arrivals.spacing);
      // Nothing can come of a ramp from none to none.
      const to = from > 0 ? readRate("to", arrivals.to) : readSomeRate("to", arrivals.to);
      return { kind: "line", from, to, spacing };
    }
    case "daily":
      return {
        kind: "daily",
        mean: readSomeRate("mean", arrivals.mean),
        hours: readHours("hours", arrivals.hours),
        spacing: readSpacing(arrivals.spacing),
      };
    case "burst":
      return readBursts(arrivals);
    case "trace":
      return { kind: "trace", atMs: readTrace("atMs", arrivals.atMs) };
  }
}

/** The rate over time. */
export function flowOf(shape: Line | Daily, forMs: number, startMs: number): Flow {
  if (shape.kind === "daily") return createFlow(dayFrom(startMs, shape.hours, shape.mean));
  return createFlow([{ lengthMs: forMs, from: shape.from, to: shape.to }]);
}

/**
 * How many requests come of a traffic at most, clicks included. Where it is drawn there are more with odds of less than
 * one in a billion. It costs the same for many as for few.
 *
 * @throws InputError that names the field at fault, such as `for` or `arrivals.rate`.
 */
export function plannedArrivals({ for: duration, arrivals, mix, clicks }: Traffic): number {
  const forMs = readSomeTime("for", duration);
  const most = inField("arrivals", () => mostOf(readShape(arrivals), forMs));
  const clickRate = mix !== undefined && !((mix.impression ?? 0) > 0) ? 0 : (clicks?.rate ?? 0);
  return clickRate > 0 ? most + Math.min(most, drawnAtMost(most * clickRate)) : most;
}

function mostOf(shape: Shape, forMs: number): number {
  switch (shape.kind) {
    case "bursts": {
      const bursts = shape.everyMs < forMs ? Math.ceil(forMs / shape.everyMs) : 1;
      return bursts * shape.count;
    }
    case "trace":
      return shape.atMs.length;
    case "line":
      return mostOfFlow(shape.spacing, ((shape.from + shape.to) / 2) * forMs);
    case "daily": {
      const days = Math.floor(forMs / DAY_MS);
      // Of a part of a day it isn't known here which.
      const restMs = (forMs - days * DAY_MS) * peakOf(shape.hours);
      return mostOfFlow(shape.spacing, shape.mean * (days * DAY_MS + Math.min(restMs, DAY_MS)));
    }
  }
}

function mostOfFlow(spacing: Spacing, expected: number): number {
  return spacing === "even" ? evenArrivals(expected) : drawnAtMost(expected);
}

/** Seven standard deviations of a Poisson distribution above its mean, and some more for small ones. */
function drawnAtMost(mean: number): number {
  return Math.ceil(mean + 7 * squareRoot(mean, mean) + 20);
}

function readSpacing(spacing: unknown = "even"): Spacing {
  if (spacing === "even" || spacing === "poisson") return spacing;
  throw new InputError("spacing", 'must be "even" or "poisson"');
}

function readBursts(arrivals: Extract<Arrivals, { readonly kind: "burst" }>): Bursts {
  const { count, every, within } = arrivals;
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new InputError("count", "must be a whole number of requests, at least 1");
  }
  const everyMs = every === undefined ? Number.POSITIVE_INFINITY : readSomeTime("every", every);
  const withinMs = within === undefined ? 0 : readDuration("within", within);
  if (withinMs <= everyMs) return { kind: "bursts", count, everyMs, withinMs };
  throw new InputError("within", "must not be longer than every: bursts would overlap");
}

function readTrace(field: string, atMs: readonly number[]): readonly number[] {
  if (!Array.isArray(atMs)) throw new InputError(field, "must be a list of milliseconds");
  let before = 0;
  for (let index = 0; index < atMs.length; index += 1) {
    const at: unknown = atMs[index];
    if (typeof at !== "number" || !(at >= 0 && at <= Number.MAX_SAFE_INTEGER)) {
      throw new InputError(`${field}.${index}`, "must be milliseconds from the start, as a number");
    }
    if (at < before) {
      throw new InputError(`${field}.${index}`, `must not be before ${before}, the one before it`);
    }
    before = at;
  }
  return atMs;
}
