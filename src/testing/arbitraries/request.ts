/** Random requests of every operation. Some are valid; each invalid one names its flaw. */

import fc from "fast-check";
import { day, formatDay } from "../../base/calendar.ts";
import { InputError } from "../../base/input.ts";
import { dayReader } from "../../exchange/operations/time-choices.ts";
import { eventIdIn } from "../../journal/entry-values.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import type { Choices } from "../../simulator/simulator-options.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import {
  type OperationId,
  operationIds,
  operations,
  type Parameter,
} from "../../spec/operations.ts";
import type { Credentials } from "../../world/accounts/account.ts";
import { checkKnown, DEFAULT_START, instantMs, withDefaults } from "../options.ts";
import {
  canHave,
  type Draft,
  encodingsOf,
  type Flaw,
  type FlawKind,
  flawKinds,
  flaws,
  type Source,
  validRequest,
} from "./request-flaws.ts";

export interface ArbitraryRequestOptions {
  /** The simulator. It is only read: send the requests to a fork of it, so that a failure can be replayed. */
  readonly sim?: SimulatorCore | undefined;
  /** The senders. @default the simulator's first five publishers */
  readonly publishers?: readonly Credentials[] | undefined;
  /** The impressions to click on, each with the id of its publisher. @default the latest 50 in the simulator's journal */
  readonly impressions?: readonly { readonly id: string; readonly publisher: string }[] | undefined;
  /** The service's choices; with `sim` its own are used. @default the catalogue's defaults */
  readonly assumptions?: Choices | undefined;
  /** The service's time, in ISO 8601; with `sim` its own is used. @default "2026-01-15T00:00:00Z" */
  readonly now?: string | undefined;
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

const defaults = {
  ...{ sim: undefined, publishers: undefined, impressions: undefined, assumptions: undefined },
  ...{ now: undefined, operation: undefined, valid: undefined, flaws: flawKinds },
};

/**
 * Built for the state and assumptions at the moment when a value is made. A valid request gets 200, unless the service's
 * state forbids it: an inactive surface, a duplicate, a late click, a limit. An invalid one gets a 4xx. A failure shrinks
 * to the first publisher and to plain values.
 *
 * @throws InputError that names the invalid option.
 */
export function arbitraryRequest(options: ArbitraryRequestOptions): fc.Arbitrary<RequestCase> {
  const wanted = withDefaults(options, defaults);
  checkKnown("flaws", wanted.flaws, flawKinds);
  const make = (): fc.Arbitrary<RequestCase> => requestsFrom(sourceOf(wanted), wanted);
  // Throws here rather than in the middle of a property.
  make();
  return fc.constant(undefined).chain(make);
}

/** The current state. @throws InputError if there is no publisher to send. */
function sourceOf({ sim, ...about }: ArbitraryRequestOptions): Source {
  const assumptions = sim?.assumptions ?? resolveAssumptions(about.assumptions ?? {});
  const senders = about.publishers ?? sim?.publishers.credentials(5) ?? [];
  if (senders.length === 0) {
    throw new InputError("publishers", "must have a publisher, or pass a simulator as sim");
  }
  const wanted = { operation: "impression", status: 200, fault: "none", limit: 50 } as const;
  const recorded = (sim?.journal.entries(wanted) ?? []).flatMap(({ publisher, response }) => {
    const id = eventIdIn(response, "impression");
    return id === undefined || publisher === undefined ? [] : [{ id, publisher }];
  });
  const clicks = (about.impressions ?? recorded).flatMap(({ id, publisher }) => {
    const sender = senders.find((one) => one.id === publisher);
    return sender === undefined ? [] : [{ sender, values: { impression_id: id } }];
  });
  const nowMs = sim?.clock.now() ?? instantMs("now", about.now ?? DEFAULT_START);
  return { assumptions, senders, clicks, today: dayReader(assumptions)(nowMs) };
}

function requestsFrom(
  source: Source,
  { operation, valid, flaws: wanted = flawKinds }: ArbitraryRequestOptions,
): fc.Arbitrary<RequestCase> {
  const cases = (operation === undefined ? operationIds : [operation]).flatMap((id) => {
    const kinds = valid === true ? [] : wanted.filter((kind) => canHave(id, kind, source));
    const isPossible = valid !== false && (id !== "click" || source.clicks.length > 0);
    if (!isPossible && kinds.length === 0) return [];
    const flaw = fc.oneof(
      { withCrossShrink: true },
      ...(isPossible ? [fc.constant(undefined)] : []),
      ...(kinds.length > 0 ? [fc.constantFrom(...kinds)] : []),
    );
    return fc
      .tuple(flaw, draftsOf(id, source), fc.nat(1000))
      .map(([kind, draft, place]) => caseOf(draft, kind, place, source));
  });
  if (cases.length === 0 && valid === true) {
    throw new InputError("impressions", "must have an impression to click on", "conflict");
  }
  if (cases.length === 0) {
    throw new InputError("flaws", "must have one that such a request can have");
  }
  // Shrinks to a valid request of the first operation if any request fails.
  return fc.oneof({ withCrossShrink: true }, ...cases);
}

/** `place`: which of the ways to have this flaw. */
function caseOf(draft: Draft, kind: FlawKind | undefined, place: number, source: Source) {
  const { operation, sender } = draft;
  const about = { operation, publisher: sender.id };
  if (kind === undefined) return { request: validRequest(draft), ...about };
  const ways = flaws[kind](draft, source);
  const { request = validRequest(draft), ...at } = ways[place % ways.length] ?? {};
  return { request, ...about, flaw: { kind, ...at } };
}

/** Valid requests. They shrink to the first publisher, plain values, and the plainest way to send them. */
function draftsOf(operation: OperationId, source: Source): fc.Arbitrary<Draft> {
  const { clicks, senders } = source;
  const unknown = senders.map((sender) => ({ sender, values: { impression_id: "imp-nobody" } }));
  const made: fc.Arbitrary<Pick<Draft, "sender" | "values">> =
    operation === "click"
      ? fc.constantFrom(...(clicks.length > 0 ? clicks : unknown))
      : fc
          .constantFrom(...senders)
          .chain((sender) =>
            valuesOf(operation, sender, source).map((values) => ({ sender, values })),
          );
  return fc
    .tuple(made, fc.constantFrom(...encodingsOf(operation, source)))
    .map(([about, encoding]) => ({ operation, ...about, encoding }));
}

const { default: usual, minimum: min, maximum: max } = operations.payouts.parameters.limit;
const limit = fc.oneof(fc.constantFrom<number>(usual, min, max), fc.integer({ min, max }));

function valuesOf(
  operation: Exclude<OperationId, "click">,
  { id, surfaces }: Credentials,
  { today }: Source,
): fc.Arbitrary<Draft["values"]> {
  const publisher_id = fc.constant(id);
  // A service refuses impressions on surfaces that aren't active.
  const active = surfaces.filter(({ status }) => status === "active");
  const usable = operation === "impression" && active.length > 0 ? active : surfaces;
  const ids = usable.length > 0 ? usable.map((one) => one.id) : ["sf-nobody"];
  const surface = fc.constantFrom(...ids);
  const daysAgo = (least: number, most: number): fc.Arbitrary<string> =>
    fc
      .integer({ min: Math.min(least, today), max: Math.min(most, today) })
      .map((ago) => formatDay(day(today - ago)));
  // Without `from` a period begins 30 days before today (spec §4), so none ends before that.
  const period = { from: daysAgo(20, 400), to: daysAgo(0, 20) };
  const members: Readonly<Record<string, fc.Arbitrary<string | number>>> = {
    stats: { publisher_id, surface, ...period },
    surfaces: { publisher_id },
    payouts: { publisher_id, limit },
    impression: { publisher_id, surface, ad_id: texts, session_id: texts },
  }[operation];
  const parameters: Readonly<Record<string, Parameter>> = operations[operation].parameters;
  const requiredKeys = Object.keys(members).filter((name) => parameters[name]?.required);
  return fc.record(members, { requiredKeys });
}

/** Non-empty texts without control characters and lone surrogates. */
const texts: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("a", "ad-1", "🌱 अ", "a b+c&d=e%20f?#", '"\\/', "constructor", "x".repeat(300)),
  fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
    .filter((text) => text !== "" && !/[\p{Cc}\p{Cs}]/u.test(text)),
);
