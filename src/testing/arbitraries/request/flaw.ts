/** The kinds of flaws that a request can have, and helpers to corrupt a valid request. */

import type { Operation } from "../../../spec/operations.ts";
import { carriersOf, type Draft, isJson } from "./draft.ts";
import type { GenerationContext, Sender } from "./generation-context.ts";

/** Flaws of a parameter, of the whole body or query, of the key, and of method and path. */
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
  /** The invalid parameter, if the flaw is about one. */
  readonly parameter?: string | undefined;
}

/** A flaw, and a function that adds it to a valid draft. */
export interface Mutation extends Flaw {
  corrupt(draft: Draft): Draft;
}

export interface FlawAbout {
  readonly operation: Operation;
  readonly context: GenerationContext;
  readonly sender: Sender;
}

/** Flaws of one kind, one for each corruption. */
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

/** The encodings that the operation reads. */
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

/** Replaces the value of a parameter. A value that isn't a text is sent in JSON. */
export function withValue(name: string, value: unknown): (draft: Draft) => Draft {
  return (draft) => {
    const values = new Map(draft.values).set(name, value);
    if (typeof value === "string") return { ...draft, values };
    // A body without Content-Type may be read as a form, so only JSON is kept.
    const holds =
      draft.carrier !== "untyped" && isJson(draft.carrier, { "request.encoding": "any" });
    return { ...draft, values, carrier: holds ? draft.carrier : "json" };
  };
}

/** Replaces the body by this JSON text. */
export function withJson(text: (draft: Draft) => string | Uint8Array): (draft: Draft) => Draft {
  return (draft) => ({ ...draft, carrier: "json", raw: { query: "", body: text(draft) } });
}

/** Replaces the parameters by this text, in the form or the query, whichever the operation reads. */
export function withPairs(
  about: FlawAbout,
  text: (draft: Draft) => string | Uint8Array,
): (draft: Draft) => Draft {
  return (draft) =>
    bodiesOf(about).form
      ? { ...draft, carrier: "form", raw: { query: "", body: text(draft) } }
      : { ...draft, carrier: "query", raw: { query: String(text(draft)) } };
}
