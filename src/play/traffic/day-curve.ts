/** How traffic goes up and down over a day: hours of UTC by weight, with straight lines between the middles of hours. */

import { DAY_MS, HOUR_MS } from "../../base/duration.ts";
import { partOf, type Stretch } from "./flow.ts";

/**
 * A publisher's usual day, of mean 100: most of its readers are in India, where it is half past five at midnight UTC. The
 * peak is 1.19 times the mean, so that 80 % of a limit on average stays below the limit all day.
 */
export const usualHours: readonly number[] = [
  72, 78, 86, 97, 108, 115, 118, 114, 111, 115, 119, 119, 115, 111, 109, 111, 110, 106, 99, 91, 82,
  75, 70, 69,
];

const HOURS = 24;

/** By how much the busiest moment of the day is above the mean. */
export function peakOf(hours: readonly number[]): number {
  return Math.max(...hours) / meanOf(hours);
}

/** A day from the given instant on, with this rate in the mean. */
export function dayFrom(startMs: number, hours: readonly number[], perMs: number): Stretch[] {
  const scale = perMs / meanOf(hours);
  // From the middle of the last hour of the day before, so that the first line crosses midnight.
  const lines = Array.from(
    { length: HOURS },
    (_, hour): Stretch => ({
      lengthMs: HOUR_MS,
      from: (hours[(hour + HOURS - 1) % HOURS] ?? 0) * scale,
      to: (hours[hour] ?? 0) * scale,
    }),
  );
  const sinceMs = modulo(startMs + HOUR_MS / 2, DAY_MS);
  const first = Math.floor(sinceMs / HOUR_MS);
  const intoMs = sinceMs - first * HOUR_MS;
  const turned = [...lines.slice(first), ...lines.slice(0, first)];
  const [cut] = turned;
  if (cut === undefined || intoMs === 0) return turned;
  return [partOf(cut, intoMs, HOUR_MS), ...turned.slice(1), partOf(cut, 0, intoMs)];
}

/** The mean of the weights is that of the lines between them too. */
function meanOf(hours: readonly number[]): number {
  return hours.reduce((sum, weight) => sum + weight, 0) / HOURS;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
