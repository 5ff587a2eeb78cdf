/** A rule as users write it: which requests it picks out, and what becomes of those. */

import * as v from "valibot";
import { parseInstant } from "../base/calendar.ts";
import { type Duration, durationMs } from "../base/duration.ts";
import { InputError, parseInput } from "../base/input.ts";
import { type OperationId, operations } from "../contract/operations.ts";
import { duration } from "./delay.ts";
import { shareSchema, type Verdict, verdictSchema } from "./verdict.ts";

/**
 * Which requests a rule picks out: all conditions hold. The first five say which requests it looks at, and number them;
 * `nth`, `every` and `share` choose among those by their number, so that the same ones are chosen on every transport.
 */
export interface FaultMatch {
  readonly operation?: OperationId | readonly OperationId[] | undefined;
  /** Id of the publisher whose key is sent. */
  readonly publisher?: string | readonly string[] | undefined;
  /** Id of the surface that is named; for a click that of its impression. */
  readonly surface?: string | readonly string[] | undefined;
  /** From this instant of the world's clock on, in ISO 8601. */
  readonly from?: string | undefined;
  /** Before this instant of the world's clock, in ISO 8601. */
  readonly until?: string | undefined;
  /** The request with this number, or these; the first is 1. */
  readonly nth?: number | readonly number[] | undefined;
  /** Each request whose number is a multiple of this. */
  readonly every?: number | undefined;
  /** From 0 to 1. Each request has this chance, drawn from the seed, the rule's id and the request's number. */
  readonly share?: number | undefined;
  /** At most so often. */
  readonly times?: number | undefined;
  /**
   * Whether requests are numbered, and `times` counted, for each publisher apart. Over all publishers, what one gets
   * depends on when the others send.
   *
   * @default "publisher"
   */
  readonly per?: "publisher" | "world" | undefined;
}

/** A rule as data. */
export interface FaultRule {
  /** What journal and draws know it by. @default "rule-1", "rule-2", … */
  readonly id?: string | undefined;
  /** @default every request */
  readonly match?: FaultMatch | undefined;
  readonly verdict: Verdict;
  /** After so long on the world's clock the rule is gone. @default it stays */
  readonly ttl?: Duration | undefined;
}

/** A request as a rule sees it. */
export interface FaultRequest {
  /** Counts the requests of this publisher that the rule has seen, from 1. */
  readonly number: number;
  /** Milliseconds since 1970 on the world's clock. */
  readonly nowMs: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** Undefined where no operation answers at the path. */
  readonly operation: OperationId | undefined;
  /** Undefined without a valid key. */
  readonly publisher: string | undefined;
  /** Undefined where none of this publisher is named. */
  readonly surface: string | undefined;
}

/** A rule as a function: a verdict, or undefined to let the request pass. It must have no effect on the simulator. */
export type FaultFunction = (request: FaultRequest) => Verdict | undefined;

const operationIds = Object.values(operations).map(({ id }) => id);
const operationId = v.picklist(operationIds, `must be one of ${operationIds.join(", ")}`);
const id = v.pipe(v.string("must be a string"), v.minLength(1, "must not be empty"));
const positive = "must be a whole number from 1 on";
const count = v.pipe(v.number(positive), v.safeInteger(positive), v.minValue(1, positive));
const instant = v.pipe(
  v.string('must be an instant in ISO 8601, such as "2026-03-01T00:00:00Z"'),
  v.check(
    (text) => parseInstant(text) !== undefined,
    'must be an instant in ISO 8601, such as "2026-03-01T00:00:00Z"',
  ),
);

/** One of them, or a list that isn't empty. */
function oneOrMore<Item>(
  item: v.GenericSchema<unknown, Item>,
): v.GenericSchema<unknown, Item | readonly Item[]> {
  const list = v.pipe(v.array(item), v.minLength(1, "must not be an empty list"));
  return v.lazy(
    (input): v.GenericSchema<unknown, Item | readonly Item[]> =>
      Array.isArray(input) ? list : item,
  );
}

const match = v.pipe(
  v.strictObject({
    operation: v.optional(oneOrMore(operationId)),
    publisher: v.optional(oneOrMore(id)),
    surface: v.optional(oneOrMore(id)),
    from: v.optional(instant),
    until: v.optional(instant),
    nth: v.optional(oneOrMore(count)),
    every: v.optional(count),
    share: v.optional(shareSchema),
    times: v.optional(count),
    per: v.optional(v.picklist(["publisher", "world"], "must be publisher or world")),
  }),
  v.check(
    ({ from, until }) =>
      from === undefined ||
      until === undefined ||
      (parseInstant(from) ?? 0) < (parseInstant(until) ?? 0),
    "must have from before until",
  ),
);

const noList = v.custom<v.InferOutput<typeof match>>(() => false, "must be an object, not a list");
const ruleSchema = v.strictObject({
  id: v.optional(
    v.pipe(
      v.string("must be a string"),
      v.regex(
        /^[A-Za-z0-9._-]{1,64}$/,
        "must be 1 to 64 letters, digits, dots, underscores and hyphens",
      ),
    ),
  ),
  // The schema of an object would look for its members in a list.
  match: v.optional(v.lazy((input) => (Array.isArray(input) ? noList : match))),
  verdict: verdictSchema,
  ttl: v.optional(
    v.pipe(
      duration,
      v.check((ttl) => durationMs(ttl) > 0, "must be above 0: the rule would be gone at once"),
    ),
  ),
});

/** A copy of a rule that is data. @throws InputError that names the field. */
export function parseRule(input: unknown): FaultRule {
  // The schema takes an array for an object without members.
  if (Array.isArray(input)) throw new InputError("rule", "must be one rule, not a list");
  // JSON leaves out what is undefined, as the schema does; what it can't write, the schema refuses before.
  const rule = parseInput(ruleSchema, input);
  return JSON.parse(JSON.stringify(rule)) as FaultRule;
}

/** What a function returned. @throws InputError that names the rule. */
export function parseVerdict(rule: string, returned: unknown): Verdict | undefined {
  if (returned === undefined) return undefined;
  try {
    return parseInput(verdictSchema, returned);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(`faults.${rule}`, `returned no verdict: ${error.message}`);
  }
}
