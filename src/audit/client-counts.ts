/** Validates the counts that a client believes. */

import * as v from "valibot";
import { InputError, inField, parseInput } from "../base/input.ts";
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

/** @throws InputError that names the field. */
export function readClientCounts(
  input: unknown,
  isPublisher: (id: string) => boolean,
): readonly ClientCounts[] {
  const all: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (all.length === 0) {
    throw new InputError("clientCounts", "must not be empty: it would expect nothing");
  }
  const seen = new Set<string | undefined>();
  return all.map((one, index) =>
    inField(all === input ? `clientCounts.${index}` : "clientCounts", () => {
      const counts = parseInput(countsSchema, one);
      const { publisher } = counts;
      if (publisher !== undefined && !isPublisher(publisher)) {
        throw new InputError("publisher", "names no publisher of this world", "not-found");
      }
      if (seen.has(publisher)) {
        throw new InputError("publisher", "must differ in each: give a publisher's counts once");
      }
      seen.add(publisher);
      return counts;
    }),
  );
}
