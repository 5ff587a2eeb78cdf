/** What can be wrong with a request: the kinds, and how a right one is spoiled. */

import type { Operation } from "../../../spec/operations.ts";
import { carriersOf, type Draft, isJson } from "./draft.ts";
import type { GenerationContext, Sender } from "./generation-context.ts";

/** Of a parameter, of the body or the query as a whole, of the key, or of method and path. */
export const flawKinds = [
  "missing-parameter",
  "empty-parameter",
  "null-parameter",
  "wrong-type",
  "malformed-value",
  "impossible-date",
  "out-of-range",
  "control-character",
  "lone-surrogate",
  "duplicate-parameter",
  "malformed-percent-encoding",
  "unknown-id",
  "unknown-parameter",
  "inverted-range",
  "future-date",
  "broken-json",
  "not-an-object",
  "empty-body",
  "invalid-utf-8",
  "body-too-large",
  "query-too-long",
  "wrong-content-type",
  "wrong-encoding",
  "no-key",
  "malformed-authorization",
  "wrong-key",
  "old-key",
  "foreign-key",
  "wrong-method",
  "head",
  "unknown-path",
  "trailing-slash",
] as const;

Object.freeze(flawKinds);

export type FlawKind = (typeof flawKinds)[number];

/** Why a request is invalid. */
export interface Flaw {
  readonly kind: FlawKind;
  /** The parameter at fault, where it is one. */
  readonly parameter?: string | undefined;
}

/** A flaw with a way to have it. */
export interface Mutation extends Flaw {
  corrupt(draft: Draft): Draft;
}

/** What a flaw may depend on. */
export interface FlawAbout {
  readonly operation: Operation;
  readonly context: GenerationContext;
  readonly sender: Sender;
}

/** Flaws of one kind: one for each way to have it. */
export function flaws(
  kind: FlawKind,
  corruptions: readonly Mutation["corrupt"][],
  parameter?: string,
): Mutation[] {
  return corruptions.map((corrupt) => ({
    kind,
    ...(parameter !== undefined && { parameter }),
    corrupt,
  }));
}

/** What an operation reads. */
export function bodiesOf({ operation, context }: FlawAbout): {
  readonly json: boolean;
  readonly form: boolean;
  readonly query: boolean;
} {
  const carriers = carriersOf(operation, context.assumptions);
  const [json, form, query] = (["json", "form", "query"] as const).map((one) =>
    carriers.includes(one),
  );
  return { json: json === true, form: form === true, query: query === true };
}

/** With another value of a parameter. A value that is no text needs JSON to be sent in. */
export function withValue(name: string, value: unknown): (draft: Draft) => Draft {
  return (draft) => {
    const values = new Map(draft.values).set(name, value);
    if (typeof value === "string") return { ...draft, values };
    // JSON and bodies without a type that are read as such hold anything.
    const holds =
      draft.carrier !== "untyped" && isJson(draft.carrier, { "request.encoding": "any" });
    return { ...draft, values, carrier: holds ? draft.carrier : "json" };
  };
}

/** With this text in place of the JSON body. */
export function withJson(text: (draft: Draft) => string | Uint8Array): (draft: Draft) => Draft {
  return (draft) => ({ ...draft, carrier: "json", raw: { query: "", body: text(draft) } });
}

/** With this text in place of all pairs of names and values, in the form or in the query, whichever is read. */
export function withPairs(
  about: FlawAbout,
  text: (draft: Draft) => string | Uint8Array,
): (draft: Draft) => Draft {
  return (draft) =>
    bodiesOf(about).form
      ? { ...draft, carrier: "form", raw: { query: "", body: text(draft) } }
      : { ...draft, carrier: "query", raw: { query: String(text(draft)) } };
}
