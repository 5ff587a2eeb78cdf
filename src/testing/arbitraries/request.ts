/** Random requests of every operation. Some are valid; each invalid one names its flaw. */

import fc from "fast-check";
import * as v from "valibot";
import { InputError, isPlainObject, parseInput } from "../../base/input.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import { type OperationId, operationIds, operations } from "../../spec/operations.ts";
import { instant, simulator, someOf } from "../arbitrary-options.ts";
import { written } from "./request/draft.ts";
import { type Flaw, type FlawKind, flawKinds, type Mutation } from "./request/flaw.ts";
import { flawsOfSending } from "./request/flaws-of-sending.ts";
import { flawsOfValues } from "./request/flaws-of-values.ts";
import {
  type GenerationContext,
  generationContextOf,
  type RequestSource,
} from "./request/generation-context.ts";
import { canBeValid, validDrafts } from "./request/valid.ts";

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
  /** Has an API key. A counterexample shows it without the key. */
  readonly request: ApiRequest;
  /** The operation that it asks for, or would without its flaw. */
  readonly operation: OperationId;
  /** Id of the publisher that sends it. */
  readonly publisher: string;
  /** Undefined if the request is valid. */
  readonly flaw?: Flaw | undefined;
}

const text = (field: string): v.GenericSchema<unknown, string> =>
  v.pipe(v.string(`${field} must be a string`), v.minLength(1, `${field} must not be empty`));
const schema = v.strictObject({
  sim: v.optional(simulator),
  publishers: v.optional(
    v.pipe(
      v.array(
        v.looseObject({ id: text("id"), apiKey: text("apiKey"), surfaces: v.array(v.unknown()) }),
        "must be a list of publishers",
      ),
      v.minLength(1, "must not be an empty list"),
    ),
  ),
  impressions: v.optional(
    v.array(
      v.strictObject({ id: text("id"), publisher: text("publisher") }),
      "must be a list of impressions, each with its id and its publisher's id",
    ),
  ),
  oldKeys: v.optional(v.array(v.string(), "must be a list of keys")),
  assumptions: v.optional(v.custom(isPlainObject, "must be an object of choices by key")),
  now: v.optional(instant),
  operation: v.optional(v.picklist(operationIds, `must be one of ${operationIds.join(", ")}`)),
  valid: v.optional(v.boolean("must be true or false")),
  flaws: v.optional(someOf(flawKinds), flawKinds),
});

/**
 * Built from the contract's tables, for the state and assumptions at the moment when a value is made. A valid request
 * gets 200, unless the service's state forbids it: an inactive surface, a duplicate, a late click, a limit. An invalid
 * one gets a 4xx, unless the limit is exceeded. A failure shrinks to the first publisher and to plain values.
 *
 * @throws InputError that names the invalid option.
 */
export function arbitraryRequest(options: ArbitraryRequestOptions): fc.Arbitrary<RequestCase> {
  const { operation, valid, flaws, ...from } = parseInput(schema, options, "options");
  // The schema has checked the members that are used.
  const source = from as RequestSource;
  const ids = operation === undefined ? operationIds : [operation];
  const wanted: Wanted = { ids, valid, flaws };
  // Throws here rather than in the middle of a property.
  requestsIn(generationContextOf(source), wanted);
  return fc.constant(undefined).chain(() => requestsIn(generationContextOf(source), wanted));
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
  const right = ids.filter((id) => canBeValid(id, context));
  if (valid !== false && ids.length === 1 && right.length === 0) {
    throw new InputError(
      "impressions",
      "must have an impression to click on: record one first, or pass the known ones",
      "conflict",
    );
  }
  const cases = ids.map((id) => {
    const rightOnes = valid === false || !right.includes(id) ? [] : [validCases(id, context)];
    const wrongOnes = valid === true ? undefined : invalidCases(id, context, flaws);
    return wrongOnes === undefined ? rightOnes : [...rightOnes, wrongOnes];
  });
  const possible = cases.filter((ofOne) => ofOne.length > 0);
  if (valid !== true && possible.every(({ length }) => length === 0)) {
    throw new InputError(
      "flaws",
      "must have at least one that such a request can have under these assumptions",
    );
  }
  // Shrinks to a valid request of the first operation if any request fails.
  return fc.oneof(
    { withCrossShrink: true },
    ...possible.map((ofOne) => fc.oneof({ withCrossShrink: true }, ...ofOne)),
  );
}

function validCases(operation: OperationId, context: GenerationContext): fc.Arbitrary<RequestCase> {
  return validDrafts(operation, context).map(({ draft, sender }) => {
    const request = written(draft, context.assumptions);
    return shownWithoutKeys({ request, operation, publisher: sender.id }, context);
  });
}

/** Every kind is about equally likely. Undefined if the operation can have none of these flaws. */
function invalidCases(
  id: OperationId,
  context: GenerationContext,
  wanted: readonly FlawKind[],
): fc.Arbitrary<RequestCase> | undefined {
  const flawsFor = (sender: GenerationContext["senders"][number]): Mutation[] => {
    const about = { operation: operations[id], context, sender };
    return [...flawsOfValues(about), ...flawsOfSending(about)];
  };
  const possible = new Set(flawsFor(context.senders[0]).map(({ kind }) => kind));
  const kinds = wanted.filter((kind) => possible.has(kind));
  if (kinds.length === 0) return undefined;
  return fc
    .tuple(fc.constantFrom(...kinds), validDrafts(id, context), fc.nat(1000))
    .map(([kind, { draft, sender }, place]) => {
      const ways = flawsFor(sender).filter((flaw) => flaw.kind === kind);
      const way = ways[place % ways.length];
      if (way === undefined) throw new Error(`${kind} depends on who sends.`);
      const { corrupt, ...flaw } = way;
      const request = written(corrupt(draft), context.assumptions);
      return shownWithoutKeys({ request, operation: id, publisher: sender.id, flaw }, context);
    });
}

/** Keys are only in the Authorization header. */
function shownWithoutKeys(one: RequestCase, { senders, oldKeys }: GenerationContext): RequestCase {
  const value = (): string => {
    const { method, path, query, headers = {}, body } = one.request;
    const { authorization = "none", ...others } = headers;
    const keys = [...senders.map(({ apiKey }) => apiKey), ...oldKeys];
    const secret = keys.find((key) => authorization.includes(key));
    const shownKey = secret === undefined ? authorization : authorization.replace(secret, "<key>");
    const sent = body instanceof Uint8Array ? new TextDecoder().decode(body) : body;
    const shown = { authorization: shownKey, ...others, query, body: abbreviated(sent) };
    const flaw = one.flaw === undefined ? "" : ` with ${Object.values(one.flaw).join(": ")}`;
    return `${method} ${path} of ${one.publisher}${flaw}: ${JSON.stringify(shown)}`;
  };
  return Object.defineProperty(one, fc.toStringMethod, { value });
}

const MAX_SHOWN = 500;

function abbreviated(body: unknown): unknown {
  if (typeof body !== "string" || body.length <= MAX_SHOWN) return body;
  return `${body.slice(0, MAX_SHOWN)}… (${body.length} characters)`;
}
