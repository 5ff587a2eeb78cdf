/** The verdicts, which say what a rule does to a request: their schema, and from it their type. */

import * as v from "valibot";
import { isPlainObject } from "../base/input.ts";
import {
  described,
  namedSchema,
  optional,
  type Schema,
  strictObject,
  withJsonSchema,
} from "../base/schema-builders.ts";
import { numberBetween, wholeBetween } from "../base/schemas.ts";
import { delaySchema, shortDuration } from "./delay.ts";
import { wrongWays } from "./wrong-body.ts";

/** The schema of one kind of verdict. The client waits `delay` before anything arrives; the service acts at once. */
function kind<const Kind extends string, const Members extends v.ObjectEntries>(
  name: Kind,
  does: string,
  members: Members,
) {
  const delay = optional(delaySchema);
  return v.pipe(strictObject({ kind: v.literal(name), delay, ...members }), v.description(does));
}

function applied(byDefault: boolean): v.OptionalSchema<Schema<boolean>, undefined> {
  const does = `Whether the service carries out the request. Default: ${byDefault}.`;
  return optional(v.boolean("must be true or false"), does);
}

const loss = v.picklist(["close", "reset", "silence"], "must be one of close, reset, silence");
const as = optional(loss, "What the client sees when no answer comes. Default: close.");

export const shareSchema: Schema<number> = v.pipe(
  v.number("must be a number from 0 to 1"),
  v.minValue(0, "must be from 0 to 1"),
  v.maxValue(1, "must be from 0 to 1"),
);

/** Headers that only the transport can set: they concern the connection or the length of the body. */
const reserved: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

// Valibot's record would skip names such as "constructor".
const checkedHeaders = v.pipe(
  v.custom<Readonly<Record<string, string>>>(
    isPlainObject,
    'must be an object of strings by header name, such as { "retry-after": "5" }',
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const input = dataset.value;
    for (const [key, value] of Object.entries(input)) {
      const message = headerProblem(key, value);
      if (message !== undefined) {
        addIssue({ message, path: [{ type: "object", origin: "value", input, key, value }] });
      }
    }
  }),
);

function headerProblem(name: string, value: unknown): string | undefined {
  if (reserved.has(name.toLowerCase())) return "can't be set: the transport sets it";
  if (typeof value !== "string") return "must be a string";
  try {
    new Headers([[name, value]]);
    return undefined;
  } catch (error) {
    return `can't be sent: ${(error as Error).message}`;
  }
}

/** A text, or a copy of a value after a round trip through JSON. */
const body = v.pipe(
  v.unknown(),
  v.rawTransform(({ dataset: { value }, addIssue, NEVER }): unknown => {
    const text = ArrayBuffer.isView(value) ? undefined : textOf(value);
    if (text?.isWellFormed()) return typeof value === "string" ? value : JSON.parse(text);
    addIssue({ message: "must be well-formed text or a value that JSON can write" });
    return NEVER;
  }),
);

/** Undefined if JSON can't write it. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Statuses with which fetch's `Response` can't have a body. */
const bodiless: readonly number[] = [204, 205, 304];

const kinds = [
  v.pipe(
    strictObject({ kind: v.literal("delay"), delay: delaySchema }),
    v.description("Delays the answer."),
  ),
  v.pipe(
    kind("respond", "Answers instead of the service.", {
      status: described(wholeBetween(200, 599), "The status of the answer."),
      headers: optional(withJsonSchema(v.record(v.string(), v.string()), checkedHeaders)),
      body: optional(body, "Text, or a value that is sent as JSON."),
      applied: applied(false),
    }),
    v.check(
      (verdict) => verdict.body === undefined || !bodiless.includes(verdict.status),
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
  kind("garbage", "Random bytes replace the answer.", {
    as: optional(
      v.picklist(["body", "response"], "must be body or response"),
      "What they replace: the body (default) or the whole HTTP response.",
    ),
  }),
  kind("wrong-body", "The answer is well-formed and wrong, if it can be wrong in this way.", {
    wrong: described(
      v.picklist(wrongWays, `must be one of ${wrongWays.join(", ")}`),
      "What is wrong with the answer.",
    ),
    applied: applied(true),
  }),
  kind("drip", "The body of the answer arrives slowly.", {
    bytesPerSecond: described(
      numberBetween(0.001, 1_000_000_000),
      "The pace. Below 1, each byte takes longer than a second.",
    ),
  }),
  kind("duplicate", "The service carries out the request twice.", {
    answer: optional(
      v.picklist(["first", "second"], "must be first or second"),
      "Which answer the client sees. Default: first.",
    ),
  }),
  kind("reorder", "Later answers overtake this one.", {
    by: optional(wholeBetween(1, 1000), "How many later answers. Default: 1."),
    atMost: optional(shortDuration, "How long it waits for them. Default: 1s."),
  }),
] as const;

type Member = v.InferOutput<(typeof kinds)[number]>;
type Cut = { atByte: number; share?: undefined } | { share: number; atByte?: undefined };

/** What happens to a request. docs/faults.md describes each kind. */
export type Verdict =
  | Exclude<Member, { kind: "truncate" }>
  | (Extract<Member, { kind: "truncate" }> & Cut);

export type VerdictKind = Verdict["kind"];

/** What a client sees when no answer comes: the connection closes, is reset, or stays open and silent. */
export type Loss = v.InferOutput<typeof loss>;

// The schema ensures that exactly one of atByte and share is set.
export const verdictSchema: Schema<Verdict> = namedSchema(
  "verdict",
  () => v.variant("kind", kinds) as unknown as Schema<Verdict>,
);

/** For code that reads traffic and not the verdict itself: the client may get no answer, however long it waits. */
export const unanswered: readonly VerdictKind[] = [
  "drop",
  "lose-response",
  "timeout",
  "reset",
  "empty",
  "garbage",
];
/** The answer is late without a delay. */
export const slow: readonly VerdictKind[] = ["drip", "reorder"];
/** The body may be one that the service didn't write. */
export const bodyReplaced: readonly VerdictKind[] = ["respond", "garbage", "wrong-body"];
