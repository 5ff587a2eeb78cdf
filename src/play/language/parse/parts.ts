/** Schemas of objects whose members are all known, and of what other parts of the code can check: refused by path. */

import * as v from "valibot";
import { didYouMean, listed } from "../../../base/did-you-mean.ts";
import { InputError, isPlainObject } from "../../../base/input.ts";

type Shaped<Entries extends v.ObjectEntries> = v.InferOutput<
  v.StrictObjectSchema<Entries, undefined>
>;

/** An object with these members and no others; a wrong name is told the nearest right one. */
export function shape<const Entries extends v.ObjectEntries>(
  entries: Entries,
): v.GenericSchema<unknown, Shaped<Entries>> {
  const names = Object.keys(entries);
  return v.pipe(
    v.custom<Readonly<Record<string, unknown>>>(isPlainObject, "must be an object"),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const input = dataset.value;
      for (const name of Object.keys(input)) {
        if (names.includes(name)) continue;
        const there = didYouMean(name, names) || ` There is: ${listed(names)}`;
        const path = pathTo(input, [name]);
        addIssue({
          message: `is not known here.${there}`,
          ...(path === undefined ? {} : { path }),
        });
        return;
      }
    }),
    v.strictObject(entries),
  ) as v.GenericSchema<unknown, Shaped<Entries>>;
}

/** What `check` takes: its InputErrors are those of this place. What it lets pass must be of the kind. */
export function accepted<Output, Input = unknown>(
  check: (input: Input) => unknown,
): v.GenericSchema<Input, Output> {
  return v.pipe(
    v.unknown(),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      try {
        check(dataset.value as Input);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        const path = pathTo(dataset.value, error.field === "" ? [] : error.field.split("."));
        addIssue({ message: error.expected, ...(path === undefined ? {} : { path }) });
      }
    }),
  ) as v.GenericSchema<unknown, unknown> as v.GenericSchema<Input, Output>;
}

/** Refuses whatever comes, in these words. */
export function refused(message: string): v.GenericSchema<unknown, never> {
  return v.custom<never>(() => false, message);
}

/** Something of a kind, or a refusal that says which kinds there are. */
export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
): v.GenericSchema<unknown, Choice> {
  return v.custom<Choice>(
    (input) => choices.some((choice) => choice === input),
    ({ input }) => {
      const hint = typeof input === "string" ? didYouMean(input, choices) : "";
      return `must be one of ${listed(choices, "or")}.${hint}`.replace(/\.$/, "");
    },
  );
}

/** A number within a range. */
export function numberFrom(
  least: number,
  most: number,
  whole: "whole" | "any" = "any",
): v.GenericSchema<unknown, number> {
  const kind = whole === "whole" ? "a whole number" : "a number";
  const to = most === Number.MAX_VALUE ? `from ${least} on` : `from ${least} to ${most}`;
  return v.custom<number>(
    (input) =>
      typeof input === "number" &&
      input >= least &&
      input <= most &&
      (whole === "any" || Number.isSafeInteger(input)),
    `must be ${kind} ${to}`,
  );
}

/** A text that isn't empty. */
export function textUpTo(most: number): v.GenericSchema<unknown, string> {
  return v.custom<string>(
    (input) => typeof input === "string" && input !== "" && input.length <= most,
    `must be a text of 1 to ${most} characters`,
  );
}

/** A list that isn't empty. */
export function listOf<Item>(
  item: v.GenericSchema<unknown, Item>,
  what: string,
): v.GenericSchema<unknown, Item[]> {
  return v.pipe(
    v.array(item, `must be a list of ${what}`),
    v.minLength(1, `must not be empty: it is a list of ${what}`),
  );
}

type PathItems = [v.IssuePathItem, ...v.IssuePathItem[]];

function pathTo(input: unknown, names: readonly string[]): PathItems | undefined {
  const items = names.map(
    (name): v.IssuePathItem => ({
      type: "unknown",
      origin: "value",
      input,
      key: /^\d+$/.test(name) ? Number(name) : name,
      value: undefined,
    }),
  );
  const [first, ...rest] = items;
  return first === undefined ? undefined : [first, ...rest];
}
