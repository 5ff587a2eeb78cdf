/** What steps have named so far, and how a reference finds its way into it. */

import type { Exchange, Member } from "../../laws/seen-exchange.ts";
import { operations } from "../../spec/operations.ts";
import type { TallySummary } from "../measure/tally.ts";

/** What a step gave to its name. */
export type Named =
  | { readonly kind: "answer"; readonly exchange: Exchange }
  | { readonly kind: "tally"; readonly summary: TallySummary }
  | { readonly kind: "publisher"; readonly member: Member }
  | { readonly kind: "keys"; readonly apiKey: string; readonly oldKey: string }
  /** The step was skipped. */
  | { readonly kind: "nothing"; readonly why: string };

/** A value, or why there is none. */
export type Found<Value = unknown> =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "unknown"; readonly why: string };

export function found<Value>(value: Value): Found<Value> {
  return { kind: "value", value };
}

export function unknown(why: string): Found<never> {
  return { kind: "unknown", why };
}

/** What the name itself stands for: an answer's body as JSON, a tally, a publisher, or the keys of a rotation. */
export function contentOf(name: string, named: Named | undefined): Found {
  if (named === undefined) return unknown(`nothing is called ${name} yet`);
  switch (named.kind) {
    case "answer":
      return jsonBody(name, named.exchange);
    case "tally":
      return found(named.summary);
    case "publisher":
      return found(named.member);
    case "keys":
      return found({ apiKey: named.apiKey, oldKey: named.oldKey });
    case "nothing":
      return unknown(`${name} was skipped: ${named.why}`);
  }
}

/** The body of a whole answer, as JSON. */
export function jsonBody(name: string, { outcome, text, status, operation }: Exchange): Found {
  if (outcome !== "answered") return unknown(`${name} has no whole answer: it was ${outcome}`);
  try {
    return found(JSON.parse(text));
  } catch {
    const what = operation === undefined ? "" : ` to ${operations[operation].path}`;
    const called = name === "answer" ? "the answer" : `the answer ${name}`;
    return unknown(`${called}${what} (status ${status}) is no JSON`);
  }
}

/** The member of `content` at the end of the path. Only own members count. */
export function memberAt(content: unknown, path: readonly string[], whole: string): Found {
  let at = content;
  for (const part of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) {
      return unknown(`${whole} is not there: it has no ${part}`);
    }
    at = (at as Readonly<Record<string, unknown>>)[part];
  }
  return found(at);
}
