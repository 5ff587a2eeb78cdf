/** Schemas of what requests and matchers contain: values, references, names, headers. */

import * as v from "valibot";
import { formatList } from "../../base/did-you-mean.ts";
import { DAY_MS, durationMs } from "../../base/duration.ts";
import { isPlainObject } from "../../base/input.ts";
import {
  anyOf,
  described,
  namedSchema,
  type Schema,
  withJsonSchema,
} from "../../base/schema-builders.ts";
import { wholeBetween } from "../../base/schemas.ts";
import { duration } from "../../faults/delay.ts";
import { exactObject, invalid, recordOf, textUpTo } from "./schema-parts.ts";
import type { DaysAgo, HeaderOf, Numbered, PublisherRef, Reference, Value } from "./types.ts";

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

export const stepName: Schema<string> = namedSchema("name", () =>
  v.pipe(
    v.string(),
    v.regex(NAME, "must be a letter, then at most 63 letters, digits, underscores and hyphens"),
    v.check((name) => !/^key_/i.test(name), "must not look like an API key"),
    v.check(
      (name) => name !== "publishers",
      'must not be "publishers", which is reserved for the world\'s publishers',
    ),
    v.description(
      "The name by which later steps refer to it: a letter, then letters, digits, underscores and hyphens.",
    ),
  ),
);

/** A name, optionally followed by a path. */
export const pathText: Schema<string> = namedSchema(
  "path",
  () =>
    withJsonSchema(
      v.pipe(v.string(), v.maxLength(500)),
      v.custom<string>(
        (input) =>
          typeof input === "string" && input.length <= 500 && NAME.test(partsOf(input)[0] ?? ""),
        'must be the name of a step and a path, such as "first.impression_id"',
      ),
    ),
  'The name of an earlier step and a path, such as "first.impression_id".',
);

/** The parts of a path: the name, then members and indexes. */
export function partsOf(text: string): string[] {
  return text.split(".");
}

export const reference: Schema<Reference> = namedSchema("ref", () =>
  exactObject<Reference>({ ref: pathText }),
);
const header: Schema<HeaderOf> = exactObject<HeaderOf>({
  header: v.pipe(
    v.string(),
    v.regex(/^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/, "must be a header's name in lower case"),
    v.description("Its name in lower case."),
  ),
  of: described(stepName, "The request whose answer has it."),
});
const numbered: Schema<Numbered> = exactObject<Numbered>({
  numbered: v.pipe(
    v.string(),
    v.maxLength(1000, "must have at most 1000 characters"),
    v.description("A text, followed by the round number of the innermost repeat or parallel."),
  ),
});
/** A hundred years. */
const MAX_DAYS = 36_525;
const daysAgo: Schema<DaysAgo> = exactObject<DaysAgo>({
  daysAgo: described(
    wholeBetween(0, MAX_DAYS),
    "The date this many days before the target's today, in UTC.",
  ),
});

/** The schema of an object that stands for a value, judged by its keys; undefined for any other object. */
export function valueObject(input: Readonly<Record<string, unknown>>): Schema<Value> | undefined {
  const keys = Object.keys(input);
  if (keys.length === 1 && keys[0] === "ref") return reference;
  if (keys.length === 1 && keys[0] === "numbered") return numbered;
  if (keys.length === 1 && keys[0] === "daysAgo") return daysAgo;
  return keys.length === 2 && "header" in input && "of" in input ? header : undefined;
}

const scalar = v.union([v.string(), v.number(), v.boolean(), v.null()]);
const noValue = invalid(
  'must be a text, a number, true, false, null, or one of { "ref": "NAME.path" }, { "header": "name", "of": "NAME" }, { "numbered": "text" }, { "daysAgo": 1 }',
);

export const value: Schema<Value> = namedSchema(
  "value",
  () =>
    anyOf<Value>([scalar, reference, header, numbered, daysAgo], (input) => {
      if (typeof input !== "object" || input === null) return scalar;
      if (!isPlainObject(input)) return noValue;
      if (Object.hasOwn(input, "ref")) return reference;
      if (Object.hasOwn(input, "header")) return header;
      if (Object.hasOwn(input, "daysAgo")) return daysAgo;
      return Object.hasOwn(input, "numbered") ? numbered : noValue;
    }),
  "A plain value, or one taken from earlier steps.",
);

const ordinal = wholeBetween(0, Number.MAX_SAFE_INTEGER);
export const publisherRef: Schema<PublisherRef> = namedSchema(
  "publisher",
  () =>
    anyOf<PublisherRef>([ordinal, stepName], (input) =>
      typeof input === "string" ? stepName : ordinal,
    ),
  "A publisher's ordinal, from 0, or the name of the step that signed it up.",
);

export const values: Schema<Readonly<Record<string, Value>>> = namedSchema("values", () =>
  recordOf(value),
);

/** Headers that an HTTP client sets by itself, or refuses to send. */
const transport = [
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
];
const MAX_HEADERS = 100;
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

export const headers: Schema<Readonly<Record<string, Value>>> = recordOf(
  value,
  headerProblem,
  "must be an object",
  HEADER,
);

function headerProblem(name: string, given: unknown, all: readonly string[]): string | undefined {
  if (!HEADER.test(name)) return "is not a valid header name";
  if (all.length > MAX_HEADERS) return `is one of too many: a step can set ${MAX_HEADERS} headers`;
  if (transport.includes(name.toLowerCase())) {
    return `belongs to the connection: a scenario can't set ${formatList(transport, "or")}`;
  }
  if (all.some((other) => other !== name && other.toLowerCase() === name.toLowerCase())) {
    return "appears twice: upper and lower case don't matter in header names";
  }
  // Only values that every HTTP client sends unchanged.
  const isSendable =
    typeof given !== "string" || /^([\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?)?$/.test(given);
  return isSendable ? undefined : "must be printable ASCII, without a space at either end";
}

export const timeout: Schema<number | string> = v.pipe(
  duration,
  v.check((given) => {
    const ms = durationMs(given);
    return ms > 0 && ms <= DAY_MS;
  }, "must be longer than 0 and at most a day"),
  v.description("How long the client waits for the answer. Default: 10s."),
);

export const note: Schema<string> = described(textUpTo(2000), "Why the step is here, for readers.");
