/** What a rule can do to a request: the verdicts as data, and their schema. */

import * as v from "valibot";
import type { Duration } from "../base/duration.ts";
import { described, namedSchema, optional, type Schema } from "../base/schema-builders.ts";
import { type Delay, delaySchema, shortDuration } from "./delay.ts";
import { bodySchema, type Headers, headersSchema } from "./respond-schemas.ts";

/** How a client notices that no answer comes: the connection closes, is reset, or stays open and silent. */
export type Loss = "close" | "reset" | "silence";

/** A request's fate. `delay`: for how long nothing happens before what the kind says; the service does its part at once. */
export type Verdict = { readonly delay?: Delay | undefined } & (
  | { readonly kind: "delay"; readonly delay: Delay }
  /** Answers in the service's place, which does nothing; with `applied` it does, and its answer is lost. */
  | {
      readonly kind: "respond";
      readonly status: number;
      /** Names in any case. What the rule doesn't set is as the service would set it. */
      readonly headers?: Headers | undefined;
      /** Text, or a value that is sent as JSON. @default no body */
      readonly body?: unknown;
      /** @default false */
      readonly applied?: boolean | undefined;
    }
  /** The request never reaches the service. @default as "close" */
  | { readonly kind: "drop"; readonly as?: Loss | undefined }
  /** The service does what was asked, and its answer never reaches the client. @default as "close" */
  | { readonly kind: "lose-response"; readonly as?: Loss | undefined }
  /** The service does nothing, and nothing ever comes. */
  | { readonly kind: "timeout" }
  /** The service does nothing, and the connection is reset. */
  | { readonly kind: "reset" }
  /** The service does nothing, and the connection closes without a byte. */
  | { readonly kind: "empty" }
  /** The answer's body breaks off after so many bytes, or after this share of it. */
  | { readonly kind: "truncate"; readonly atByte: number; readonly share?: undefined }
  | { readonly kind: "truncate"; readonly share: number; readonly atByte?: undefined }
  /** Bytes that mean nothing come in place of the answer's body, or of the whole HTTP response. @default as "body" */
  | { readonly kind: "garbage"; readonly as?: "body" | "response" | undefined }
  /** The answer's body comes at this pace. */
  | { readonly kind: "drip"; readonly bytesPerSecond: number }
  /** The service does it twice; the client sees the answer to one of the two. @default answer "first" */
  | { readonly kind: "duplicate"; readonly answer?: "first" | "second" | undefined }
  /** Later answers overtake this one: `by` of them (1), or as many as come in `atMost` (1s). */
  | {
      readonly kind: "reorder";
      readonly by?: number | undefined;
      readonly atMost?: Duration | undefined;
    }
);

export type VerdictKind = Verdict["kind"];

/** Fetch's Response takes no body with these. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

const delay = optional(delaySchema);
const loss = optional(
  v.picklist(["close", "reset", "silence"], "must be one of close, reset, silence"),
  "How the client notices that nothing comes.",
);

function wholeBetween(least: number, most: number): Schema<number> {
  const expected = `must be a whole number from ${least} to ${most}`;
  return v.pipe(
    v.number(expected),
    v.safeInteger(expected),
    v.minValue(least, expected),
    v.maxValue(most, expected),
  );
}

export const shareSchema: Schema<number> = v.pipe(
  v.number("must be a number from 0 to 1"),
  v.minValue(0, "must be from 0 to 1"),
  v.maxValue(1, "must be from 0 to 1"),
);

/** A kind of verdict: what a rule does by it, and what it has beside a delay. */
function kind<const Kind extends string, const Has extends v.ObjectEntries>(
  name: Kind,
  does: string,
  has: Has,
) {
  return v.pipe(v.strictObject({ kind: v.literal(name), delay, ...has }), v.description(does));
}

const respond = v.pipe(
  kind("respond", "Answers in the service's place.", {
    status: described(wholeBetween(200, 599), "Of the answer."),
    headers: optional(headersSchema),
    body: optional(bodySchema, "Text, or a value that is sent as JSON."),
    applied: optional(
      v.boolean("must be true or false"),
      "Whether the service does what was asked.",
    ),
  }),
  v.check(
    (verdict) => verdict.body === undefined || !bodiless.has(verdict.status),
    "must have no body with status 204, 205 or 304",
  ),
);
const truncate = v.pipe(
  kind("truncate", "The answer's body breaks off.", {
    atByte: optional(wholeBetween(0, Number.MAX_SAFE_INTEGER), "After so many bytes."),
    share: optional(shareSchema, "After this share of it."),
  }),
  v.check(
    ({ atByte, share }) => (atByte === undefined) !== (share === undefined),
    'must have either atByte or share, such as { "kind": "truncate", "share": 0.5 }',
  ),
);

const kinds = [
  kind("delay", "Holds the answer back.", { delay: delaySchema }),
  respond,
  kind("drop", "The request never reaches the service.", { as: loss }),
  kind("lose-response", "Done, and the answer is lost.", { as: loss }),
  kind("timeout", "Nothing is done, and nothing ever comes.", {}),
  kind("reset", "Nothing is done, and the connection is reset.", {}),
  kind("empty", "Nothing is done, and the connection closes without a byte.", {}),
  truncate,
  kind("garbage", "Bytes that mean nothing come.", {
    as: optional(v.picklist(["body", "response"], "must be body or response"), "In place of what."),
  }),
  kind("drip", "The answer's body comes slowly.", {
    bytesPerSecond: described(wholeBetween(1, 1_000_000_000), "At this pace."),
  }),
  kind("duplicate", "The service does it twice.", {
    answer: optional(
      v.picklist(["first", "second"], "must be first or second"),
      "Which answer the client sees.",
    ),
  }),
  kind("reorder", "Later answers overtake this one.", {
    by: optional(wholeBetween(1, 1000), "How many."),
    atMost: optional(shortDuration),
  }),
] as const;

type Described = v.InferInput<(typeof kinds)[number]>["kind"];
// A kind of verdict without a schema is a type error.
true satisfies VerdictKind extends Described ? true : never;

// The schema has made sure of one of atByte and share.
export const verdictSchema: Schema<Verdict> = namedSchema(
  "verdict",
  () => v.variant("kind", kinds) as unknown as Schema<Verdict>,
);
