/**
 * The verdicts, which say what a rule does to a request: their schema, and from it their type. The delay of an answer is fixed or
 * drawn from a range.
 */

import * as v from "valibot";
import {
  DURATION_EXPECTED,
  DURATION_PATTERN,
  type Duration,
  durationMs,
  HOUR_MS,
  isDuration,
} from "../base/duration.ts";
import { isPlainObject } from "../base/input.ts";
import { drawBetween, type Key } from "../base/random.ts";
import {
  anyOf,
  namedSchema,
  numberBetween,
  optional,
  type Schema,
  strictObject,
  wholeBetween,
  withJsonSchema,
} from "../base/schemas.ts";
import { wrongWays } from "./wrong-body.ts";

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
const shortDuration: Schema<Duration> = v.pipe(
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

const delaySchema: Schema<Delay> = namedSchema(
  "delay",
  () =>
    anyOf<Delay>([shortDuration, range], (input) =>
      typeof input === "object" && input !== null ? range : shortDuration,
    ),
  "A duration of at most an hour, or a range of them.",
);

/** The schema of one kind of verdict. The client waits `delay` before anything arrives; the service acts at once. */
function kind<const Kind extends string, const Members extends v.ObjectEntries>(
  name: Kind,
  does: string,
  members: Members,
) {
  const delay = optional(delaySchema);
  return v.pipe(strictObject({ kind: v.literal(name), delay, ...members }), v.description(does));
}

/** A member that has one of these values. */
export function oneOf<const Values extends readonly string[]>(values: Values) {
  return v.picklist(values, `must be one of ${values.join(", ")}`);
}

const yesOrNo = v.boolean("must be true or false");
/** The connection closes, is reset, or stays open and silent. */
const losses = ["close", "reset", "silence"] as const;
const as = optional(oneOf(losses), "What the client sees when no answer comes. Default: close.");

export const shareSchema: Schema<number> = numberBetween(0, 1);

/** Headers that only the transport can set: they concern the connection or the length of the body. */
const reserved = /^(connection|content-length|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

const headers = v.pipe(
  v.custom<unknown>(isPlainObject, "must be an object of strings by header name"),
  v.record(
    v.pipe(
      v.string(),
      v.check((name) => !reserved.test(name), "can't be set: the transport sets it"),
      v.check((name) => works(() => new Headers([[name, ""]])), "is not a valid header name"),
    ),
    v.pipe(
      v.string("must be a string"),
      v.regex(/^[\t -~\u0080-\u00ff]*$/, "can't be sent in a header"),
    ),
  ),
);

const body = v.pipe(
  v.unknown(),
  v.check(
    (value) => !ArrayBuffer.isView(value) && works(() => JSON.stringify(value)),
    "must be text or a value that JSON can write",
  ),
);

/** Whether it returns something. */
function works(attempt: () => unknown): boolean {
  try {
    return attempt() !== undefined;
  } catch {
    return false;
  }
}

const kinds = [
  v.pipe(
    strictObject({ kind: v.literal("delay"), delay: delaySchema }),
    v.description("Delays the answer."),
  ),
  v.pipe(
    kind("respond", "Answers instead of the service.", {
      status: v.pipe(wholeBetween(200, 599), v.description("The status of the answer.")),
      headers: optional(headers),
      body: optional(body, "Text, or a value that is sent as JSON."),
      applied: optional(yesOrNo, "Whether the service carries out the request. Default: false."),
    }),
    v.check(
      // With these statuses fetch's `Response` can't have a body.
      (verdict) => verdict.body === undefined || ![204, 205, 304].includes(verdict.status),
      "must have no body with status 204, 205 or 304",
    ),
  ),
  kind("drop", "The request never reaches the service.", { as }),
  kind("lose-response", "The service carries out the request, but its answer is lost.", { as }),
  kind("timeout", "The service does nothing, and no answer ever comes.", {}),
  kind("reset", "The service does nothing, and the connection is reset.", {}),
  kind("empty", "The service does nothing, and the connection closes without a byte.", {}),
  v.pipe(
    kind("truncate", "The body of the answer is cut off.", {
      atByte: optional(wholeBetween(0, Number.MAX_SAFE_INTEGER), "Cuts after this many bytes."),
      share: optional(shareSchema, "Cuts after this share of the body."),
    }),
    v.check(
      ({ atByte, share }) => (atByte === undefined) !== (share === undefined),
      'must have either atByte or share, such as { "kind": "truncate", "share": 0.5 }',
    ),
  ),
  kind("garbage", "Random bytes replace the body of the answer, or the whole HTTP response.", {
    as: optional(oneOf(["body", "response"]), "What they replace. Default: body."),
  }),
  kind("wrong-body", "The answer is well-formed and wrong, if it can be wrong in this way.", {
    wrong: v.pipe(oneOf(wrongWays), v.description("What is wrong with the answer.")),
    applied: optional(yesOrNo, "Whether the service carries out the request. Default: true."),
  }),
  kind("drip", "The body of the answer arrives slowly.", {
    bytesPerSecond: v.pipe(
      numberBetween(0.001, 1_000_000_000),
      v.description("The pace, also below 1."),
    ),
  }),
  kind("duplicate", "The service carries out the request twice.", {
    answer: optional(oneOf(["first", "second"]), "Which answer the client sees. Default: first."),
  }),
  kind("reorder", "Later answers overtake this one.", {
    by: optional(wholeBetween(1, 1000), "How many later answers. Default: 1."),
    atMost: optional(shortDuration, "How long it waits for them. Default: 1s."),
  }),
] as const;

/** What happens to a request. docs/reference/fault-rules.md describes each kind. */
export type Verdict = v.InferOutput<(typeof kinds)[number]>;

export type VerdictKind = Verdict["kind"];

export const verdictSchema: Schema<Verdict> = namedSchema("verdict", () =>
  v.variant("kind", kinds),
);

/** With these the answer is late even without a delay. */
export const slow: readonly VerdictKind[] = ["drip", "reorder"];
/** With these the body may be one that the service didn't write. */
export const bodyReplaced: readonly VerdictKind[] = ["respond", "garbage", "wrong-body"];

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
