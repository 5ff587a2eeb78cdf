/** Requests that the service accepts under the current assumptions, built from the contract's table of parameters. */

import fc from "fast-check";
import { type Day, day, formatDay } from "../../../base/calendar.ts";
import {
  type Operation,
  type OperationId,
  operations,
  type Parameter,
} from "../../../spec/operations.ts";
import { carriersOf, type Draft } from "./draft.ts";
import type { GenerationContext, Sender } from "./generation-context.ts";

export interface ValidDraft {
  readonly draft: Draft;
  readonly sender: Sender;
}

/** Periods begin at most this many days ago. */
const MAX_DAYS_BACK = 400;
/** Without `from` a period begins 30 days before today (spec §4), so it must end later than that. */
const MAX_DAYS_BACK_OF_END = 20;

/** Whether the operation can have a valid request: a click needs an impression. */
export function canBeValid(id: OperationId, context: GenerationContext): boolean {
  if (!("impression_id" in operations[id].parameters)) return true;
  return context.impressions.length > 0;
}

/** Shrinks to the first publisher, plain values, and the plainest way to send them. */
export function validDrafts(id: OperationId, context: GenerationContext): fc.Arbitrary<ValidDraft> {
  const operation: Operation = operations[id];
  return caseOf(operation, context).chain(({ sender, impression }) => {
    const entries = Object.entries(operation.parameters).map(([name, parameter]) => {
      const value = anyValue(name, parameter, { context, sender, impression, id });
      return optionalOf(value, parameter).map((one) => ({ name, value: one }));
    });
    return fc
      .record({
        values: fc.tuple(...entries),
        carrier: fc.constantFrom(...carriersOf(operation, context.assumptions)),
        authorization: fc.constantFrom(...authorizations(sender)),
        target: fc.constantFrom(...targets(operation)),
        extra: extraOf(context),
      })
      .map(({ values, carrier, authorization, target, extra }): ValidDraft => {
        const sent = inOrder([...values, ...extra], context.today).filter(
          ({ value }) => value !== undefined,
        );
        const map = new Map(sent.map(({ name, value }): [string, unknown] => [name, value]));
        const draft = { operation, ...target, values: map, carrier, authorization, headers: {} };
        return { draft, sender };
      });
  });
}

interface NamedValue {
  readonly name: string;
  readonly value: unknown;
}

/** The sender, and the impression to click on if the operation is a click. */
function caseOf(
  { parameters }: Operation,
  { senders, impressions }: GenerationContext,
): fc.Arbitrary<{ readonly sender: Sender; readonly impression: string }> {
  const anyone = fc
    .constantFrom(...senders)
    .map((sender) => ({ sender, impression: "imp-nobody" }));
  if (!("impression_id" in parameters) || impressions.length === 0) return anyone;
  return fc.constantFrom(...impressions).map(({ id, publisher }) => ({
    sender: senders.find((one) => one.id === publisher) ?? senders[0],
    impression: id,
  }));
}

interface ValueContext {
  readonly context: GenerationContext;
  readonly sender: Sender;
  readonly impression: string;
  readonly id: OperationId;
}

/** Ids are those of existing objects; any other parameter has a value that its type allows. */
function anyValue(name: string, parameter: Parameter, about: ValueContext): fc.Arbitrary<unknown> {
  const { context, sender, impression, id } = about;
  switch (name) {
    case "publisher_id":
      return fc.constant(sender.id);
    case "impression_id":
      return fc.constant(impression);
    case "surface":
      return surfaceOf(sender, id);
  }
  switch (parameter.type) {
    case "string":
      return context.assumptions["request.values"] === "lenient"
        ? fc.oneof({ weight: 6, arbitrary: texts }, { weight: 1, arbitrary: fc.nat(0x7fff_ffff) })
        : texts;
    case "date":
      return fc.nat(Math.min(MAX_DAYS_BACK, context.today)).map((ago) => day(context.today - ago));
    case "integer":
      return integerOf(parameter, context);
  }
}

function surfaceOf({ surfaces }: Sender, id: OperationId): fc.Arbitrary<string> {
  const active = surfaces.filter(({ status }) => status === "active");
  // Impressions use active surfaces. If the publisher has none, the service refuses.
  const among = id === "impression" && active.length > 0 ? active : surfaces;
  return among.length === 0
    ? fc.constant("sf-nobody")
    : fc.constantFrom(...among.map((surface) => surface.id));
}

function integerOf(
  { minimum, maximum, default: usual }: Extract<Parameter, { type: "integer" }>,
  { assumptions }: GenerationContext,
): fc.Arbitrary<number> {
  const edges = [usual, minimum, maximum];
  if (assumptions["payout.limit-over-max"] === "clamp") edges.push(maximum + 1, 1_000_000_000);
  return fc.oneof(fc.constantFrom(...edges), fc.integer({ min: minimum, max: maximum }));
}

/** Non-empty texts without control characters and lone surrogates. */
const texts: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("a", "ad-1", "🌱 अ", "a b+c&d=e%20f?#", '"\\/', "constructor", "x".repeat(300)),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).filter(isPlain),
);

function isPlain(text: string): boolean {
  return text !== "" && !/[\p{Cc}\p{Cs}]/u.test(text);
}

/** An optional parameter may be left out. */
function optionalOf(value: fc.Arbitrary<unknown>, { required }: Parameter): fc.Arbitrary<unknown> {
  return required ? value : fc.oneof({ withCrossShrink: true }, fc.constant(undefined), value);
}

/** Sometimes an unknown parameter, if those are ignored. */
function extraOf({ assumptions }: GenerationContext): fc.Arbitrary<readonly NamedValue[]> {
  if (assumptions["request.values"] === "strict") return fc.constant([]);
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: texts.map((value) => [{ name: "x-trace", value }]) },
  );
}

function authorizations({ apiKey }: Sender): string[] {
  const usual = [`Bearer ${apiKey}`, `Bearer ${apiKey}`, `Bearer  ${apiKey}`];
  return [...usual, `bearer ${apiKey}`, `BEARER ${apiKey}`];
}

function targets({ method, path }: Operation): Pick<Draft, "method" | "path">[] {
  const usual: Pick<Draft, "method" | "path"> = { method, path };
  return [usual, usual, usual, ...(method === "GET" ? [{ method: "HEAD", path }] : [])];
}

/** Formats the days, and moves them so that the period isn't inverted, even if it begins by default. */
function inOrder(named: readonly NamedValue[], today: Day): readonly NamedValue[] {
  const from = dayNamed(named, "from");
  const to = dayNamed(named, "to");
  return named.map(({ name, value }): NamedValue => {
    if (typeof value !== "number" || !["from", "to"].includes(name)) return { name, value };
    if (from === undefined) {
      const ago = Math.min(today - value, MAX_DAYS_BACK_OF_END);
      return { name, value: formatDay(day(today - ago)) };
    }
    if (to === undefined) return { name, value: formatDay(from) };
    const chosen = name === "from" ? Math.min(from, to) : Math.max(from, to);
    return { name, value: formatDay(day(chosen)) };
  });
}

function dayNamed(named: readonly NamedValue[], wanted: string): Day | undefined {
  const value = named.find(({ name }) => name === wanted)?.value;
  return typeof value === "number" ? day(value) : undefined;
}
