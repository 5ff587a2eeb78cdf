/** Validates the counts that a client believes. */

import * as v from "valibot";
import { InputError, parseInput } from "../base/input.ts";
import { wholeFrom } from "../base/schemas.ts";

/** How many distinct events the client believes are recorded. */
export interface ClientCounts {
  /** Its id. @default all publishers together */
  readonly publisher?: string | undefined;
  readonly impressions: number;
  readonly clicks: number;
  /** What the client believes they earned, in INR. @default not compared */
  readonly revenueInr?: number | undefined;
}

const amount = "must be an amount in INR, 0 or more";
const countsSchema = v.strictObject({
  publisher: v.optional(v.string("must be the id of a publisher")),
  impressions: wholeFrom(0),
  clicks: wholeFrom(0),
  revenueInr: v.optional(v.pipe(v.number(amount), v.finite(amount), v.minValue(0, amount))),
});
const listSchema = v.pipe(
  v.array(countsSchema),
  v.minLength(1, "must not be empty: it would expect nothing"),
);
const listOrOne = v.custom<object>(
  (value) => typeof value === "object" && value !== null,
  "must be { publisher?, impressions, clicks, revenueInr? }, or a list of these",
);
const schema = v.strictObject({
  clientCounts: v.pipe(
    listOrOne,
    v.lazy(
      (input): v.GenericSchema<object, ClientCounts | ClientCounts[]> =>
        Array.isArray(input) ? listSchema : countsSchema,
    ),
  ),
});

/** @throws InputError that names the field. */
export function readClientCounts(
  input: unknown,
  isPublisher: (id: string) => boolean,
): readonly ClientCounts[] {
  const { clientCounts } = parseInput(schema, { clientCounts: input });
  const all = Array.isArray(clientCounts) ? clientCounts : [clientCounts];
  for (const [index, { publisher }] of all.entries()) {
    const field = `clientCounts${Array.isArray(input) ? `.${index}` : ""}.publisher`;
    if (publisher !== undefined && !isPublisher(publisher)) {
      throw new InputError(field, "names no publisher of this world", "not-found");
    }
    if (all.findIndex((other) => other.publisher === publisher) < index) {
      const twice = publisher === undefined ? "is missing a second time" : "is a duplicate";
      throw new InputError(field, `${twice}: give each publisher's counts once`);
    }
  }
  return all;
}
