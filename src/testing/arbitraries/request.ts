/** Random requests of every operation, and random publishers. Some requests are valid; each invalid one names its flaw. */

import fc from "fast-check";
import { day, formatDay } from "../../base/calendar.ts";
import { InputError } from "../../base/input.ts";
import { given } from "../../base/plain-data.ts";
import { dayReader } from "../../exchange/operations/time-choices.ts";
import { eventIdIn } from "../../journal/entry.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import { buildRequest, type Encoding, type RequestOptions } from "../../spec/build-request.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import {
  type OperationId,
  operationIds,
  operations,
  type Parameter,
} from "../../spec/operations.ts";
import type { Credentials, Publisher } from "../../world/accounts/account.ts";
import { checkKnown, checkNames, checkSimulator } from "../options.ts";

export interface ArbitraryRequestOptions {
  /**
   * Its first five publishers send. It is only read: send the requests to a fork of it, so that a failure can be
   * replayed.
   */
  readonly sim: SimulatorCore;
  /** @default any operation; valid clicks only if the journal has an impression */
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
  /** Undefined if the request is valid. `parameter`: the invalid one, if the flaw is about one. */
  readonly flaw?: { readonly kind: FlawKind; readonly parameter?: string | undefined } | undefined;
}

/** What a request is built from. `parts` replace those of the built one. */
interface Draft extends RequestOptions {
  readonly sim: SimulatorCore;
  readonly operation: OperationId;
  readonly sender: Credentials;
  readonly values: Readonly<Record<string, string | number>>;
  readonly encoding: Encoding;
  readonly parts?: Partial<ApiRequest>;
}

type Change = Partial<Draft> & { readonly parameter?: string };

/** The changes by which a valid draft gets each flaw. */
const flaws = {
  "missing-parameter": ({ operation, values }) =>
    parametersOf(operation)
      .filter(([, { required }]) => required)
      .map(([parameter]) => {
        const { [parameter]: _, ...others } = values;
        return { parameter, values: others };
      }),
  // Of a parameter, or the id of something that doesn't exist.
  "wrong-value": ({ operation, values }) =>
    parametersOf(operation).flatMap(([parameter, about]) =>
      wrongValues(operation, parameter, about).map((value) => ({
        parameter,
        values: { ...values, [parameter]: value },
      })),
    ),
  // None, one that doesn't exist, or another kind of authorization.
  "wrong-key": () => [
    ...[null, "nobody"].map((key) => ({ key })),
    ...["Bearer", "Basic dXNlcjpwYXNz"].map((authorization) => ({ headers: { authorization } })),
  ],
  "foreign-publisher": ({ sim, sender }) =>
    sendersIn(sim)
      .filter(({ id }) => id !== sender.id)
      .map(({ apiKey }) => ({ key: apiKey })),
  "wrong-route": ({ operation }) => {
    const { method, path } = operations[operation];
    const methods = ["PUT", "DELETE", method === "GET" ? "POST" : "PATCH"];
    const paths = [`${path}s`, path.replace("/v1/", "/v2/"), "/v1/nothing"];
    return [
      ...methods.map((other) => ({ parts: { method: other } })),
      ...paths.map((other) => ({ parts: { path: other } })),
    ];
  },
  // Its content, or an encoding that the service doesn't read.
  "wrong-body": ({ sim, operation }) => {
    const read = encodingsOf(operation, sim);
    const bodies = read.includes("json") ? ['{"publisher_id":', "[]", "null", ""] : [];
    const unread = (["json", "form", "query"] as const).filter((one) => !read.includes(one));
    return [
      ...bodies.map((body) => ({ encoding: "json" as const, parts: { body } })),
      ...unread.map((encoding) => ({ encoding })),
    ];
  },
} satisfies Readonly<Record<string, (draft: Draft) => Change[]>>;

type FlawKind = keyof typeof flaws;

// The names of a record are its keys.
export const flawKinds = Object.keys(flaws) as readonly FlawKind[];

function canHave(kind: FlawKind, operation: OperationId, sim: SimulatorCore): boolean {
  if (kind === "wrong-body") return operations[operation].method !== "GET";
  if (kind !== "foreign-publisher") return true;
  return sim.publishers.total > 1 && sim.assumptions["auth.key-scope"] !== "any";
}

function parametersOf(operation: OperationId): [name: string, about: Parameter][] {
  return Object.entries<Parameter>(operations[operation].parameters);
}

function wrongValues(
  operation: OperationId,
  name: string,
  { type, required }: Parameter,
): readonly (string | number)[] {
  if (type === "date") return ["yesterday", "2026-02-30", "01/02/2026"];
  if (type === "integer") return [0, -1, "1.5", "many"];
  // The names of ads and sessions are the client's own. Stats of an unknown surface may be empty.
  const isId = name === "publisher_id" || name === "impression_id";
  const isUnknown = isId || (name === "surface" && operation === "impression");
  return ["a\u0000b", ...(required ? [""] : []), ...(isUnknown ? ["nobody"] : [])];
}

/**
 * Built for the state and assumptions at the moment when a value is made. A valid request gets 200, unless the service's
 * state forbids it: an inactive surface, a duplicate, a late click, a limit. An invalid one gets a 4xx. A failure shrinks
 * to the first publisher and to plain values.
 *
 * @throws InputError that names the invalid option.
 */
export function arbitraryRequest(options: ArbitraryRequestOptions): fc.Arbitrary<RequestCase> {
  checkNames(options, ["sim", "operation", "valid", "flaws"]);
  checkSimulator(options.sim);
  checkKnown("flaws", options.flaws ?? flawKinds, flawKinds);
  const make = (): fc.Arbitrary<RequestCase> => requestsNow(options);
  // Throws here rather than in the middle of a property.
  make();
  return fc.constant(undefined).chain(make);
}

function requestsNow(options: ArbitraryRequestOptions): fc.Arbitrary<RequestCase> {
  const { sim, operation, valid, flaws: wanted = flawKinds } = options;
  const cases = (operation === undefined ? operationIds : [operation]).flatMap((id) => {
    const isPossible = valid !== false && (id !== "click" || clicksIn(sim).length > 0);
    const kinds = valid === true ? [] : wanted.filter((kind) => canHave(kind, id, sim));
    if (!isPossible && kinds.length === 0) return [];
    const flaw = fc.oneof(
      { withCrossShrink: true },
      ...(isPossible ? [fc.constant(undefined)] : []),
      ...(kinds.length > 0 ? [fc.constantFrom(...kinds)] : []),
    );
    return fc
      .tuple(flaw, draftsOf(id, sim), fc.nat(1000))
      .map(([kind, draft, number]) => caseOf(draft, kind, number));
  });
  if (cases.length === 0) {
    throw valid === true
      ? new InputError("sim", "must have an impression to click on in its journal", "conflict")
      : new InputError("flaws", "must have one that such a request can have");
  }
  // Shrinks to a valid request of the first operation if any request fails.
  return fc.oneof({ withCrossShrink: true }, ...cases);
}

/** `number` chooses among the ways to have the flaw. */
function caseOf(draft: Draft, kind: FlawKind | undefined, number: number): RequestCase {
  const { operation, sender } = draft;
  const about = { operation, publisher: sender.id };
  if (kind === undefined) return { ...about, request: requestOf(draft) };
  const ways: readonly Change[] = flaws[kind](draft);
  const { parameter, ...change } = ways[number % ways.length] ?? {};
  const flaw = { kind, ...given({ parameter }) };
  return { ...about, request: requestOf({ ...draft, ...change }), flaw };
}

function requestOf({ sim: _, operation, sender, values, parts, ...how }: Draft): ApiRequest {
  return { ...buildRequest(operation, values, { key: sender.apiKey, ...how }), ...parts };
}

function sendersIn({ publishers }: SimulatorCore): readonly Credentials[] {
  return publishers.credentials(5);
}

/** The encodings that the operation reads, the plainest first. */
function encodingsOf(operation: OperationId, { assumptions }: SimulatorCore): readonly Encoding[] {
  if (operations[operation].method === "GET") return ["query"];
  const encoding = assumptions["request.encoding"];
  return encoding === "any" ? ["json", "form", "query"] : [encoding];
}

type Said = Pick<Draft, "sender" | "values">;

/** On the latest impressions of the senders. */
function clicksIn(sim: SimulatorCore): readonly Said[] {
  const wanted = { operation: "impression", status: 200, fault: "none", limit: 50 } as const;
  return sim.journal.entries(wanted).flatMap(({ publisher, response }) => {
    const sender = sendersIn(sim).find(({ id }) => id === publisher);
    const impression_id = eventIdIn(response, "impression");
    const isKnown = sender !== undefined && impression_id !== undefined;
    return isKnown ? [{ sender, values: { impression_id } }] : [];
  });
}

/** They shrink to the first publisher, plain values, and the plainest way to send them. */
function draftsOf(operation: OperationId, sim: SimulatorCore): fc.Arbitrary<Draft> {
  const clicks = operation === "click" ? clicksIn(sim) : [];
  const said: fc.Arbitrary<Said> =
    clicks.length > 0
      ? fc.constantFrom(...clicks)
      : fc
          .constantFrom(...sendersIn(sim))
          .chain((sender) =>
            valuesOf(operation, sender, sim).map((values) => ({ sender, values })),
          );
  return fc
    .tuple(said, fc.constantFrom(...encodingsOf(operation, sim)))
    .map(([about, encoding]) => ({ sim, operation, ...about, encoding }));
}

const { default: usual, minimum: min, maximum: max } = operations.payouts.parameters.limit;
const limit = fc.oneof(fc.constantFrom<number>(usual, min, max), fc.integer({ min, max }));

function valuesOf(
  operation: OperationId,
  { id, surfaces }: Credentials,
  { assumptions, clock }: SimulatorCore,
): fc.Arbitrary<Draft["values"]> {
  const publisher_id = fc.constant(id);
  const surface = fc.constantFrom(...surfaces.map((one) => one.id));
  const today = dayReader(assumptions)(clock.now());
  const daysAgo = (least: number, most: number): fc.Arbitrary<string> =>
    fc.integer({ min: least, max: most }).map((ago) => formatDay(day(Math.max(0, today - ago))));
  const members: Readonly<Record<string, fc.Arbitrary<string | number>>> = {
    // Without `from` a period begins 30 days before today (spec §4), so none ends before that.
    stats: { publisher_id, surface, from: daysAgo(20, 400), to: daysAgo(0, 20) },
    surfaces: { publisher_id },
    payouts: { publisher_id, limit },
    impression: { publisher_id, surface, ad_id: texts, session_id: texts },
    click: { impression_id: fc.constant("imp-nobody") },
  }[operation];
  const parameters: Readonly<Record<string, Parameter>> = operations[operation].parameters;
  const requiredKeys = Object.keys(members).filter((name) => parameters[name]?.required);
  return fc.record(members, { requiredKeys });
}

const texts = fc.oneof(
  fc.constantFrom("a", "ad-1", "🌱 अ", "a b+c&d=e%20f?#", '"\\/', "constructor", "x".repeat(300)),
  fc.string({ minLength: 1, maxLength: 20 }),
);

/** Draws from the publishers that exist when this is called; each value has the publisher's current data. */
export function arbitraryPublisher(sim: SimulatorCore): fc.Arbitrary<Publisher> {
  checkSimulator(sim);
  const last = sim.publishers.total - 1;
  const first = { weight: 4, arbitrary: fc.nat(Math.min(3, last)) };
  return fc
    .oneof(first, { weight: 1, arbitrary: fc.nat(last) })
    .map((ordinal) => sim.publishers.at(ordinal));
}
