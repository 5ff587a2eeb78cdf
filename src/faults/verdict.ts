/** The verdicts, which say what a rule does to a request, and their schema. */

import * as v from "valibot";
import type { Duration } from "../base/duration.ts";
import {
  described,
  namedSchema,
  optional,
  type Schema,
  strictObject,
} from "../base/schema-builders.ts";
import { numberBetween, wholeBetween } from "../base/schemas.ts";
import { type Delay, delaySchema, shortDuration } from "./delay.ts";
import { bodySchema, type Headers, headersSchema } from "./respond-schemas.ts";
import { membersWrongBy, type Wrong, wrongWays } from "./wrong-body.ts";

/** What a client sees when no answer comes: the connection closes, is reset, or stays open and silent. */
export type Loss = "close" | "reset" | "silence";

/** What happens to a request. The client waits `delay` before anything arrives; the service acts at once. */
export type Verdict = { readonly delay?: Delay | undefined } & (
  | { readonly kind: "delay"; readonly delay: Delay }
  /** Answers instead of the service, which does nothing. With `applied` the service acts, and its answer is lost. */
  | {
      readonly kind: "respond";
      readonly status: number;
      /** Names in any case. All other headers are those that the service would set. */
      readonly headers?: Headers | undefined;
      /** Text, or a value that is sent as JSON. @default no body */
      readonly body?: unknown;
      /** @default false */
      readonly applied?: boolean | undefined;
    }
  /** The request never reaches the service. @default as "close" */
  | { readonly kind: "drop"; readonly as?: Loss | undefined }
  /** The service carries out the request, but its answer never reaches the client. @default as "close" */
  | { readonly kind: "lose-response"; readonly as?: Loss | undefined }
  /** The service does nothing, and no answer ever comes. */
  | { readonly kind: "timeout" }
  /** The service does nothing, and the connection is reset. */
  | { readonly kind: "reset" }
  /** The service does nothing, and the connection closes without a byte. */
  | { readonly kind: "empty" }
  /** The body of the answer is cut off after `atByte` bytes, or after this share of it. */
  | { readonly kind: "truncate"; readonly atByte: number; readonly share?: undefined }
  | { readonly kind: "truncate"; readonly share: number; readonly atByte?: undefined }
  /** Random bytes replace the body, or the whole HTTP response. @default as "body" */
  | { readonly kind: "garbage"; readonly as?: "body" | "response" | undefined }
  /** The answer is well-formed and wrong. An answer that can't be wrong in this way, such as an error, stays as it is. */
  | ({
      readonly kind: "wrong-body";
      /**
       * `false`: the service doesn't record the event, and the answer is made up. Reads are always carried out.
       *
       * @default true
       */
      readonly applied?: boolean | undefined;
    } & Wrong)
  /** The body arrives at this pace. At 0.001 bytes a second, the slowest, it never ends for any practical purpose. */
  | { readonly kind: "drip"; readonly bytesPerSecond: number }
  /** The service carries out the request twice; the client sees one of the answers. @default answer "first" */
  | { readonly kind: "duplicate"; readonly answer?: "first" | "second" | undefined }
  /** Waits until `by` later answers (default 1) were sent, but no longer than `atMost` (default 1s). */
  | {
      readonly kind: "reorder";
      readonly by?: number | undefined;
      readonly atMost?: Duration | undefined;
    }
);

export type VerdictKind = Verdict["kind"];

/** Statuses with which fetch's `Response` can't have a body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

const delay = optional(delaySchema);
const loss = optional(
  v.picklist(["close", "reset", "silence"], "must be one of close, reset, silence"),
  "What the client sees when no answer comes.",
);

export const shareSchema: Schema<number> = v.pipe(
  v.number("must be a number from 0 to 1"),
  v.minValue(0, "must be from 0 to 1"),
  v.maxValue(1, "must be from 0 to 1"),
);

/** The schema of one kind of verdict. `does` describes it; `has` are its members besides `kind` and `delay`. */
function kind<const Kind extends string, const Has extends v.ObjectEntries>(
  name: Kind,
  does: string,
  has: Has,
) {
  return v.pipe(strictObject({ kind: v.literal(name), delay, ...has }), v.description(does));
}

function applied(byDefault: boolean): v.OptionalSchema<Schema<boolean>, undefined> {
  const does = `Whether the service carries out the request. Default: ${byDefault}.`;
  return optional(v.boolean("must be true or false"), does);
}

const respond = v.pipe(
  kind("respond", "Answers instead of the service.", {
    status: described(wholeBetween(200, 599), "The status of the answer."),
    headers: optional(headersSchema),
    body: optional(bodySchema, "Text, or a value that is sent as JSON."),
    applied: applied(false),
  }),
  v.check(
    (verdict) => verdict.body === undefined || !bodiless.has(verdict.status),
    "must have no body with status 204, 205 or 304",
  ),
);
const truncate = v.pipe(
  kind("truncate", "The body of the answer is cut off.", {
    atByte: optional(wholeBetween(0, Number.MAX_SAFE_INTEGER), "Cuts after this many bytes."),
    share: optional(shareSchema, "Cuts after this share of the body."),
  }),
  v.check(
    ({ atByte, share }) => (atByte === undefined) !== (share === undefined),
    'must have either atByte or share, such as { "kind": "truncate", "share": 0.5 }',
  ),
);

const wrongBody = v.pipe(
  kind("wrong-body", "The answer is well-formed and wrong.", {
    wrong: described(
      v.picklist(wrongWays, `must be one of ${wrongWays.join(", ")}`),
      "What is wrong with the answer.",
    ),
    member: optional(
      v.string("must be the name of a member"),
      "Only members of this name are wrong. Default: all that can be.",
    ),
    applied: applied(true),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed || dataset.value.member === undefined) return;
    const { wrong, member } = dataset.value;
    const members = membersWrongBy(wrong);
    if (members.includes(member)) return;
    const message =
      members.length === 0
        ? `must have no member if wrong is ${wrong}, which is about the whole answer`
        : `must have one of these as its member if wrong is ${wrong}: ${members.join(", ")}`;
    addIssue({ message });
  }),
);

const kinds = [
  kind("delay", "Delays the answer.", { delay: delaySchema }),
  respond,
  kind("drop", "The request never reaches the service.", { as: loss }),
  kind("lose-response", "The service carries out the request, but its answer is lost.", {
    as: loss,
  }),
  kind("timeout", "The service does nothing, and no answer ever comes.", {}),
  kind("reset", "The service does nothing, and the connection is reset.", {}),
  kind("empty", "The service does nothing, and the connection closes without a byte.", {}),
  truncate,
  kind("garbage", "Random bytes replace the answer.", {
    as: optional(
      v.picklist(["body", "response"], "must be body or response"),
      "What they replace: the body or the whole HTTP response.",
    ),
  }),
  wrongBody,
  kind("drip", "The body of the answer arrives slowly.", {
    bytesPerSecond: described(
      numberBetween(0.001, 1_000_000_000),
      "The pace. Below 1, each byte takes longer than a second.",
    ),
  }),
  kind("duplicate", "The service carries out the request twice.", {
    answer: optional(
      v.picklist(["first", "second"], "must be first or second"),
      "Which answer the client sees.",
    ),
  }),
  kind("reorder", "Later answers overtake this one.", {
    by: optional(wholeBetween(1, 1000), "How many later answers. Default: 1."),
    atMost: optional(shortDuration),
  }),
] as const;

type Described = v.InferInput<(typeof kinds)[number]>["kind"];
// A kind of verdict without a schema is a type error.
true satisfies VerdictKind extends Described ? true : never;

// The schema ensures that exactly one of atByte and share is set.
export const verdictSchema: Schema<Verdict> = namedSchema(
  "verdict",
  () => v.variant("kind", kinds) as unknown as Schema<Verdict>,
);
