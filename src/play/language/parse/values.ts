/** Schemas of what requests and matchers are filled with: values, references, names, headers. */

import * as v from "valibot";
import { listed } from "../../../base/did-you-mean.ts";
import { durationMs } from "../../../base/duration.ts";
import { isPlainObject } from "../../../base/input.ts";
import { duration } from "../../../faults/delay.ts";
import type { Cast, Reference, Value } from "../scenario.ts";
import { accepted, numberFrom, refused, shape, textUpTo } from "./parts.ts";

export const NAME_PATTERN = "^[A-Za-z][A-Za-z0-9_-]{0,63}$";
const NAME = new RegExp(NAME_PATTERN);

/** What every name of a step must be. */
export const stepName: v.GenericSchema<unknown, string> = v.pipe(
  v.string(),
  v.regex(NAME, "must be a letter, then at most 63 letters, digits, underscores and hyphens"),
  v.check((name) => !/^key_/i.test(name), "must not be like an API key"),
  v.check((name) => name !== "publishers", "must not be publishers: that names the world's own"),
);

const path: v.GenericSchema<unknown, string> = v.custom<string>(
  (input) => typeof input === "string" && input.length <= 500 && NAME.test(partsOf(input)[0] ?? ""),
  'must be the name of a step and a path, such as "first.impression_id"',
);

/** A name, alone or with a path. */
export const pathText: v.GenericSchema<unknown, string> = path;

/** The parts of a path: the name, then members and places. */
export function partsOf(text: string): string[] {
  return text.split(".");
}

export const reference: v.GenericSchema<unknown, Reference> = shape({ ref: path });

const header: v.GenericSchema<unknown, { header: string; of: string }> = shape({
  header: v.pipe(
    v.string(),
    v.regex(/^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/, "must be a header's name in lower case"),
  ),
  of: stepName,
});
const numbered: v.GenericSchema<unknown, { numbered: string }> = shape({
  numbered: v.pipe(v.string(), v.maxLength(1000, "must have at most 1000 characters")),
});

/** The keys that make an object a value of these kinds. */
const kinds = ["ref", "header", "numbered"] as const;

/** The schema of an object that is a value by its keys; undefined of any other. */
export function valueObject(
  input: Readonly<Record<string, unknown>>,
): v.GenericSchema<unknown, Value> | undefined {
  const keys = Object.keys(input);
  if (keys.length === 1 && keys[0] === "ref") return reference;
  if (keys.length === 1 && keys[0] === "numbered") return numbered;
  return keys.length === 2 && "header" in input && "of" in input ? header : undefined;
}

const scalar = accepted<string | number | boolean | null>(() => undefined);
const noValue: v.GenericSchema<unknown, never> = refused(
  'must be a text, a number, true, false, null, or one of { "ref": "NAME.path" }, { "header": "name", "of": "NAME" }, { "numbered": "text" }',
);
const byKind = { ref: reference, header, numbered };

export const value: v.GenericSchema<unknown, Value> = v.lazy(
  (input): v.GenericSchema<unknown, Value> => {
    if (typeof input !== "object" || input === null) return scalar;
    if (!isPlainObject(input)) return noValue;
    const kind = kinds.find((key) => Object.hasOwn(input, key));
    return kind === undefined ? noValue : byKind[kind];
  },
);

export const cast: v.GenericSchema<unknown, Cast> = v.lazy(
  (input): v.GenericSchema<unknown, Cast> =>
    typeof input === "string" ? stepName : numberFrom(0, Number.MAX_SAFE_INTEGER, "whole"),
);

/** What an HTTP client sets by itself, or refuses to send. */
const transport = [
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
];

/** Values by names that `isName` takes. */
function valuesBy(
  whyNot: (name: string, value: unknown, all: readonly string[]) => string | undefined,
): v.GenericSchema<unknown, Readonly<Record<string, Value>>> {
  return v.pipe(
    v.custom<Readonly<Record<string, unknown>>>(isPlainObject, "must be an object"),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const all = Object.keys(dataset.value);
      for (const [key, given] of Object.entries(dataset.value)) {
        const message = whyNot(key, given, all);
        if (message === undefined) continue;
        const at = { type: "object" as const, origin: "key" as const, input: dataset.value };
        addIssue({ message, path: [{ ...at, key, value: given }] });
        return;
      }
    }),
    v.record(v.string(), value),
  ) as v.GenericSchema<unknown, Readonly<Record<string, Value>>>;
}

export const valueRecord: v.GenericSchema<unknown, Readonly<Record<string, Value>>> = valuesBy(
  () => undefined,
);

export const headers: v.GenericSchema<unknown, Readonly<Record<string, Value>>> = valuesBy(
  (name, given, all) => {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) return "is not a header's name";
    if (transport.includes(name.toLowerCase())) {
      return `is the connection's own header: a scenario can't set ${listed(transport, "or")}`;
    }
    if (all.some((other) => other !== name && other.toLowerCase() === name.toLowerCase())) {
      return "is there twice: names are the same in upper and lower case";
    }
    // What comes through every HTTP client as it is.
    const isSendable =
      typeof given !== "string" || /^([\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?)?$/.test(given);
    return isSendable ? undefined : "must be printable ASCII, without a space at either end";
  },
);

const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000;

/** How long a client waits at most. */
export const timeout: v.GenericSchema<unknown, number | string> = v.pipe(
  duration,
  v.check((given) => {
    const ms = durationMs(given);
    return ms > 0 && ms <= LONGEST_WAIT_MS;
  }, "must be longer than 0, and a day at most"),
);

export const note: v.GenericSchema<unknown, string> = textUpTo(2000);
