/** Random requests of every operation. Some are valid; each invalid one names its flaw. */

import fc from "fast-check";
import { type Day, day, formatDay } from "../../base/calendar.ts";
import { InputError } from "../../base/input.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import { type OperationId, operationIds, operations } from "../../spec/operations.ts";
import type { Credentials } from "../../world/accounts/account.ts";
import { checkKnown, withDefaults } from "../options.ts";
import {
  type Draft,
  encodingsOf,
  type Flaw,
  type FlawKind,
  flawKinds,
  flawsOf,
  validRequest,
} from "./request-flaws.ts";
import {
  type GenerationContext,
  generationContextOf,
  type RequestSource,
} from "./request-source.ts";

export interface ArbitraryRequestOptions extends RequestSource {
  /** @default any operation; valid clicks only if an impression is known */
  readonly operation?: OperationId | undefined;
  /** Only valid requests, or only invalid ones. @default both, about as many of each */
  readonly valid?: boolean | undefined;
  /** The flaws of the invalid ones. @default any */
  readonly flaws?: readonly FlawKind[] | undefined;
}

/** A request, ready to be sent. */
export interface RequestCase {
  readonly request: ApiRequest;
  /** The operation that it asks for, or would without its flaw. */
  readonly operation: OperationId;
  /** Id of the publisher that sends it. */
  readonly publisher: string;
  /** Undefined if the request is valid. */
  readonly flaw?: Flaw | undefined;
}

/**
 * Built for the state and assumptions at the moment when a value is made. A valid request gets 200, unless the service's
 * state forbids it: an inactive surface, a duplicate, a late click, a limit. An invalid one gets a 4xx. A failure shrinks
 * to the first publisher and to plain values.
 *
 * @throws InputError that names the invalid option.
 */
export function arbitraryRequest(options: ArbitraryRequestOptions): fc.Arbitrary<RequestCase> {
  const { operation, valid, flaws, ...source } = withDefaults(options, {
    sim: undefined,
    publishers: undefined,
    impressions: undefined,
    assumptions: undefined,
    now: undefined,
    operation: undefined,
    valid: undefined,
    flaws: flawKinds,
  });
  checkKnown("flaws", flaws, flawKinds);
  const ids = operation === undefined ? operationIds : [operation];
  const make = (): fc.Arbitrary<RequestCase> =>
    requestsIn(generationContextOf(source), { ids, valid, flaws });
  // Throws here rather than in the middle of a property.
  make();
  return fc.constant(undefined).chain(make);
}

interface Wanted {
  readonly ids: readonly OperationId[];
  readonly valid: boolean | undefined;
  readonly flaws: readonly FlawKind[];
}

function requestsIn(
  context: GenerationContext,
  { ids, valid, flaws }: Wanted,
): fc.Arbitrary<RequestCase> {
  const right = ids.filter((id) => id !== "click" || context.impressions.length > 0);
  if (valid !== false && right.length === 0)
    throw new InputError(
      "impressions",
      "must have an impression to click on: record one first, or pass the known ones",
      "conflict",
    );
  const cases = ids
    .map((id) => [
      ...(valid === false || !right.includes(id) ? [] : [validCases(id, context)]),
      ...(valid === true ? [] : invalidCases(id, context, flaws)),
    ])
    .filter((ofOne) => ofOne.length > 0);
  if (cases.length === 0)
    throw new InputError(
      "flaws",
      "must have at least one that such a request can have under these assumptions",
    );
  // Shrinks to a valid request of the first operation if any request fails.
  return fc.oneof(
    { withCrossShrink: true },
    ...cases.map((ofOne) => fc.oneof({ withCrossShrink: true }, ...ofOne)),
  );
}

function validCases(operation: OperationId, context: GenerationContext): fc.Arbitrary<RequestCase> {
  return drafts(operation, context).map((draft) => ({
    request: validRequest(draft),
    operation,
    publisher: draft.sender.id,
  }));
}

/** Every kind is about equally likely. Empty if the operation can have none of these flaws. */
function invalidCases(
  operation: OperationId,
  context: GenerationContext,
  wanted: readonly FlawKind[],
): fc.Arbitrary<RequestCase>[] {
  const possible = flawsOf(operation, context.senders[0], context);
  const kinds = wanted.filter((kind) => possible.some((flaw) => flaw.kind === kind));
  if (kinds.length === 0) return [];
  const cases = fc
    .tuple(fc.constantFrom(...kinds), drafts(operation, context), fc.nat(1000))
    .map(([kind, draft, place]) => {
      const ways = flawsOf(operation, draft.sender, context).filter((flaw) => flaw.kind === kind);
      const way = ways[place % ways.length];
      if (way === undefined) throw new Error(`${kind} depends on who sends.`);
      const { requestOf, ...flaw } = way;
      return { request: requestOf(draft), operation, publisher: draft.sender.id, flaw };
    });
  return [cases];
}

/** Valid requests. They shrink to the first publisher, plain values, and the plainest way to send them. */
function drafts(operation: OperationId, context: GenerationContext): fc.Arbitrary<Draft> {
  const { impressions, senders } = context;
  const encoding = fc.constantFrom(...encodingsOf(operation, context));
  const draftOf = (sender: Credentials, values: fc.Arbitrary<Draft["values"]>) =>
    fc.record({ values, encoding }).map((made): Draft => ({ operation, sender, ...made }));
  if (operation !== "click")
    return fc
      .constantFrom(...senders)
      .chain((sender) => draftOf(sender, valuesOf(operation, sender, context)));
  const [first] = senders;
  const known = impressions.length > 0 ? impressions : [{ id: "imp-nobody", publisher: first.id }];
  return fc.constantFrom(...known).chain(({ id, publisher }) => {
    const sender = senders.find((one) => one.id === publisher) ?? first;
    return draftOf(sender, fc.constant({ impression_id: id }));
  });
}

function valuesOf(
  operation: Exclude<OperationId, "click">,
  { id, surfaces }: Credentials,
  { assumptions, today }: GenerationContext,
): fc.Arbitrary<Draft["values"]> {
  const publisher_id = fc.constant(id);
  // A service refuses impressions on surfaces that aren't active.
  const active = surfaces.filter(({ status }) => status === "active");
  const usable = operation === "impression" && active.length > 0 ? active : surfaces;
  const surface = fc.constantFrom(
    ...(usable.length > 0 ? usable.map((one) => one.id) : ["sf-nobody"]),
  );
  const required = { requiredKeys: ["publisher_id"] as ["publisher_id"] };
  switch (operation) {
    case "stats":
      return fc
        .tuple(fc.record({ publisher_id, surface }, required), periods(today))
        .map(([values, period]) => ({ ...values, ...period }));
    case "surfaces":
      return fc.record({ publisher_id });
    case "payouts": {
      const { minimum, maximum, default: usual } = operations.payouts.parameters.limit;
      const isClamped = assumptions["payout.limit-over-max"] === "clamp";
      const edges = [usual, minimum, maximum, ...(isClamped ? [maximum + 1] : [])];
      const limit = fc.oneof(
        fc.constantFrom<number>(...edges),
        fc.integer({ min: minimum, max: maximum }),
      );
      return fc.record({ publisher_id, limit }, required);
    }
    case "impression":
      return fc.record(
        { publisher_id, surface, ad_id: texts, session_id: texts },
        { requiredKeys: ["publisher_id", "surface", "ad_id"] },
      );
  }
}

/** Non-empty texts without control characters and lone surrogates. */
const texts: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("a", "ad-1", "🌱 अ", "a b+c&d=e%20f?#", '"\\/', "constructor", "x".repeat(300)),
  fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
    .filter((text) => text !== "" && !/[\p{Cc}\p{Cs}]/u.test(text)),
);

/** Periods begin at most this many days ago. */
const MAX_DAYS_BACK = 400;
/** Without `from` a period begins 30 days before today (spec §4), so it must end later than that. */
const MAX_DAYS_BACK_OF_END = 20;

function periods(today: Day): fc.Arbitrary<Draft["values"]> {
  const upTo = (most: number): fc.Arbitrary<number> => fc.nat(Math.min(most, today));
  const at = (ago: number): string => formatDay(day(today - ago));
  return fc.oneof<fc.Arbitrary<Draft["values"]>[]>(
    { withCrossShrink: true },
    fc.constant({}),
    upTo(MAX_DAYS_BACK).map((ago) => ({ from: at(ago) })),
    upTo(MAX_DAYS_BACK_OF_END).map((ago) => ({ to: at(ago) })),
    fc
      .tuple(upTo(MAX_DAYS_BACK), upTo(MAX_DAYS_BACK))
      .map((days) => ({ from: at(Math.max(...days)), to: at(Math.min(...days)) })),
  );
}
