/** A rule as users write it: which requests it picks out, and what becomes of those. */

import * as v from "valibot";
import { parseInstant } from "../base/calendar.ts";
import { type Duration, durationMs } from "../base/duration.ts";
import { InputError, isPlainObject, parseInput } from "../base/input.ts";
import {
  described,
  namedSchema,
  oneOrMore,
  optional,
  type Schema,
} from "../base/schema-builders.ts";
import { instantText, wholeFrom } from "../base/schemas.ts";
import { type OperationId, operationIds } from "../spec/operations.ts";
import { duration } from "./delay.ts";
import { shareSchema, type Verdict, verdictSchema } from "./verdict.ts";

/** The most rules of a world. */
export const MAX_RULES = 1000;

/**
 * Which requests a rule picks out: all conditions hold. The first six say which requests it looks at, and number them;
 * `nth`, `every` and `share` choose among those by their number, so that the same ones are chosen on every transport.
 */
export interface FaultMatch {
  readonly operation?: OperationId | readonly OperationId[] | undefined;
  /** Id of the publisher whose key is sent. It may sign up later. */
  readonly publisher?: string | readonly string[] | undefined;
  /** Id of the surface that is named; for a click that of its impression. */
  readonly surface?: string | readonly string[] | undefined;
  /** From this instant of the world's clock on, in ISO 8601. */
  readonly from?: string | undefined;
  /** Before this instant of the world's clock, in ISO 8601. */
  readonly until?: string | undefined;
  /** Of each `every` only the first `for`. Counted from `from`; without it from 1970, so that hours begin on the hour. */
  readonly repeat?: { readonly for: Duration; readonly every: Duration } | undefined;
  /** The request with this number, or these; the first is 1. */
  readonly nth?: number | readonly number[] | undefined;
  /** Each request whose number is a multiple of this. */
  readonly every?: number | undefined;
  /** From 0 to 1. Each request has this chance, drawn from the seed, the rule's id, the publisher and the number. */
  readonly share?: number | undefined;
  /** At most so many of them: how often the rule decides. */
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
  /**
   * What the journal knows it by, and what it draws from: 1 to 64 letters, digits, `.`, `_` and `-`.
   *
   * @default "rule-N" for the Nth that is installed
   */
  readonly id?: string | undefined;
  /** @default every request */
  readonly match?: FaultMatch | undefined;
  readonly verdict: Verdict;
  /** So long on the world's clock after it is installed, the rule is gone. @default it stays */
  readonly ttl?: Duration | undefined;
}

/** A request as a rule that is a function sees it. All of it is a copy. */
export interface FaultRequest {
  /** Counts the requests of this publisher that the rule has looked at, from 1. */
  readonly number: number;
  /** Milliseconds since 1970 on the world's clock. */
  readonly nowMs: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text; bytes that are not UTF-8 are U+FFFD. */
  readonly body: string;
  /** Undefined where no operation answers at the path. */
  readonly operation: OperationId | undefined;
  /** Id of the publisher whose key was sent; undefined without a valid key. */
  readonly publisher: string | undefined;
  /**
   * Id of the surface that is named; for a click that of its impression. Undefined where the parameters aren't valid,
   * and for a click on what isn't an impression that the key serves.
   */
  readonly surface: string | undefined;
}

/**
 * A rule as a function: a verdict, or undefined to let the request pass. It is called for every request, decides at once,
 * and must not send requests to the simulator, nor call its `assume`, `restore` or `reset`. What it throws, the call that
 * sent the request throws.
 */
export type FaultFunction = (request: FaultRequest) => Verdict | undefined;

const operationId = v.picklist(operationIds, `must be one of ${operationIds.join(", ")}`);
const id = v.pipe(
  v.string("must be a string"),
  v.minLength(1, "must not be empty"),
  v.check((text) => !/^key_/i.test(text), "must be an id, not an API key"),
);

function some<Item>(item: Schema<Item>, description: string): Schema<Item | readonly Item[]> {
  const list = v.pipe(v.array(item), v.minLength(1, "must not be an empty list"));
  return described(oneOrMore(item, list), description);
}

const repeat = v.pipe(
  v.strictObject({ for: duration, every: duration }),
  v.check(
    (given) => durationMs(given.for) > 0 && durationMs(given.for) < durationMs(given.every),
    "must have for longer than 0 and shorter than every",
  ),
  v.description("Of each `every` only the first `for`."),
);
const match = v.pipe(
  v.custom<unknown>(isPlainObject, "must be an object"),
  v.strictObject({
    operation: optional(some(operationId, "Which operations.")),
    publisher: optional(some(id, "Ids of the publishers whose keys are sent.")),
    surface: optional(some(id, "Ids of the surfaces that are named.")),
    from: optional(instantText, "From this instant on."),
    until: optional(instantText, "Before this instant."),
    repeat: optional(repeat),
    nth: optional(some(wholeFrom(1), "Requests by number, from 1.")),
    every: optional(wholeFrom(1), "Each request whose number is a multiple of this."),
    share: optional(shareSchema, "The chance of each request."),
    times: optional(wholeFrom(1), "How often at most."),
    per: optional(
      v.picklist(["publisher", "world"], "must be publisher or world"),
      "What requests are numbered within.",
    ),
  }),
  v.check(
    ({ from, until }) =>
      from === undefined ||
      until === undefined ||
      (parseInstant(from) ?? 0) < (parseInstant(until) ?? 0),
    "must have from before until",
  ),
  v.description("Which requests. Default: all."),
);
const ruleId = v.pipe(
  v.string("must be a string"),
  // Dots alone would be a step upwards in a path.
  v.regex(
    /^(?!\.+$)[A-Za-z0-9._-]{1,64}$/,
    "must be 1 to 64 letters, digits, dots, underscores and hyphens, not of dots alone",
  ),
  v.check((text) => !/key_/i.test(text), "must not be like an API key"),
  v.check(
    (text) => text !== "any" && text !== "none",
    'must not be "any" or "none": a filter of the journal means something else by them',
  ),
  v.description("What the journal and heal know it by."),
);
const ttl = v.pipe(
  duration,
  v.check((given) => durationMs(given) > 0, "must be longer than 0"),
  v.description("How long it stays. Default: until it is healed."),
);

const RULE_EXPECTED = 'must be a rule: an object such as { "verdict": { "kind": "drop" } }';

/** A rule as data, wherever it stands. */
export const ruleSchema: Schema<FaultRule> = namedSchema("faultRule", () =>
  v.pipe(
    v.custom<unknown>(isPlainObject, RULE_EXPECTED),
    v.strictObject({
      id: optional(ruleId),
      match: optional(match),
      verdict: described(verdictSchema, "What becomes of them."),
      ttl: optional(ttl),
    }),
  ),
);

/** A copy of a rule that is data. `name`: what it is called as a whole. @throws InputError that names the field. */
export function parseRule(input: unknown, name = "rule"): FaultRule {
  if (!isPlainObject(input)) throw new InputError(name, RULE_EXPECTED);
  return copyOfRule(parseInput(ruleSchema, input));
}

/** What JSON leaves out is undefined; what it can't write, the schema has refused. */
export function copyOfRule(rule: FaultRule): FaultRule {
  return JSON.parse(JSON.stringify(rule)) as FaultRule;
}

/** What a function returned. @throws InputError that names the rule. */
export function parseVerdict(rule: string, returned: unknown): Verdict | undefined {
  if (returned === undefined) return undefined;
  if (typeof returned === "object" && returned !== null && "then" in returned) {
    throw new InputError(
      `faults.${rule}`,
      "returned a promise. A rule decides at once: it can't be async",
    );
  }
  try {
    return parseInput(verdictSchema, returned);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(`faults.${rule}`, `returned no verdict: ${error.message}`);
  }
}
