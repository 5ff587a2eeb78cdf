/** The delay of an answer: a fixed one, or a range to draw from. Whole milliseconds only. */

import * as v from "valibot";
import {
  DURATION_EXPECTED,
  DURATION_PATTERN,
  type Duration,
  durationMs,
  HOUR_MS,
  isDuration,
} from "../base/duration.ts";
import { drawBetween, type Key } from "../base/random.ts";
import {
  anyOf,
  namedSchema,
  type Schema,
  strictObject,
  withJsonSchema,
} from "../base/schema-builders.ts";

export const duration: Schema<Duration> = namedSchema(
  "duration",
  () =>
    withJsonSchema(
      v.union([
        v.pipe(v.number(), v.integer(), v.minValue(0)),
        v.pipe(v.string(), v.regex(DURATION_PATTERN)),
      ]),
      v.custom<Duration>(isDuration, DURATION_EXPECTED),
    ),
  'Whole milliseconds, or a whole number with a unit: "250ms", "90s", "15m", "36h", "30d".',
);
/** A duration that a client may have to wait for. */
export const shortDuration: Schema<Duration> = v.pipe(
  duration,
  v.check((given) => durationMs(given) <= HOUR_MS, "must be at most an hour"),
);
const range = v.pipe(
  strictObject({
    from: shortDuration,
    to: shortDuration,
    shape: v.optional(v.picklist(["uniform", "long-tailed"], "must be uniform or long-tailed")),
  }),
  v.check(({ from, to }) => durationMs(from) <= durationMs(to), "must not have from above to"),
  v.check(
    ({ from, shape }) => shape !== "long-tailed" || durationMs(from) > 0,
    "must have from above 0: a long tail doubles it",
  ),
);

/**
 * A duration of at most an hour, or a range including both ends.
 *
 * - `uniform` (default): every millisecond is equally likely.
 * - `long-tailed`: half of the delays are shorter than twice `from`, half of the others shorter than four times `from`, and
 *   so on. Most are short, a few are very long; `to` is the longest.
 */
export type Delay = Duration | v.InferOutput<typeof range>;

export const delaySchema: Schema<Delay> = namedSchema(
  "delay",
  () =>
    anyOf<Delay>([shortDuration, range], (input) =>
      typeof input === "object" && input !== null ? range : shortDuration,
    ),
  "A duration of at most an hour, or a range of them.",
);

/** The delay of request `ordinal`, in milliseconds. */
export function delayMsOf(delay: Delay | undefined, key: () => Key, ordinal: number): number {
  if (delay === undefined) return 0;
  if (typeof delay !== "object") return durationMs(delay);
  const fromMs = durationMs(delay.from);
  const toMs = durationMs(delay.to);
  if (delay.shape !== "long-tailed") return drawBetween(key(), 2 * ordinal, fromMs, toMs);
  // Each leading zero bit is one doubling, so each further doubling is half as likely. 22 of them are longer than an hour.
  const doublings = Math.clz32(drawBetween(key(), 2 * ordinal, 0, 0xffff_ffff));
  const lowMs = fromMs * (1 << Math.min(doublings, 22));
  return Math.min(toMs, drawBetween(key(), 2 * ordinal + 1, lowMs, 2 * lowMs - 1));
}
