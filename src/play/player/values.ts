/** Resolves the values in a scenario: references to what named steps gave, headers of answers, numbered texts, sums. */

import { day, dayOfInstant, formatDay } from "../../base/calendar.ts";
import { microsToInr, nearestMicros } from "../../base/money.ts";
import { jsonIn } from "../../base/parse-json.ts";
import type { ClientExchange, Member } from "../../invariants/client-exchange.ts";
import { inconclusive } from "../../invariants/ensure.ts";
import type { Operand, Value } from "../scenario/types.ts";

/** What later steps get by a step's name. */
export type StepOutput =
  | { readonly kind: "answer"; readonly exchange: ClientExchange }
  | { readonly kind: "publisher"; readonly ordinal: number }
  /** A tally, or the keys of a rotation. */
  | { readonly kind: "content"; readonly content: object }
  /** The step was skipped, or it has no output. */
  | { readonly kind: "nothing"; readonly why: string };

/** Where references are looked up. */
export interface Scope {
  readonly outputs: ReadonlyMap<string, StepOutput>;
  /** By ordinal. */
  readonly members: ReadonlyMap<number, Member>;
  /** Round number of the innermost repeat or parallel, from 1. It is 1 outside of both. */
  readonly round: number;
  /** On the target's clock. */
  readonly nowMs: number;
}

/** @throws Inconclusive, like all functions here, if a reference can't be resolved. */
export function resolveValue(value: Value, scope: Scope): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("ref" in value) return referenceTo(value.ref, scope);
  if ("daysAgo" in value) return formatDay(day(dayOfInstant(scope.nowMs, 0) - value.daysAgo));
  if ("numbered" in value) return `${value.numbered}${scope.round}`;
  const { of, header } = value;
  const { headers } = answerOf(of, scope);
  return Object.hasOwn(headers, header)
    ? headers[header]
    : inconclusive(`${of} has no header ${header}`);
}

/** Resolves all values of an object. */
export function resolveValues(
  values: Readonly<Record<string, Value | undefined>>,
  scope: Scope,
): Record<string, unknown> {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, resolveValue(value, scope)] as const],
  );
  return Object.fromEntries(given);
}

/** A number, a referenced number, or a sum of these. Sums are exact to the micro-INR. */
export function numberOf(operand: Operand, scope: Scope): number {
  if (typeof operand === "number") return operand;
  if ("ref" in operand) {
    const value = referenceTo(operand.ref, scope);
    return typeof value === "number" ? value : inconclusive(`${operand.ref} is not a number`);
  }
  const micros = operand.sum.map((part) => nearestMicros(numberOf(part, scope)));
  return microsToInr(micros.reduce((sum, one) => sum + one, 0));
}

export function answerOf(name: string, { outputs }: Pick<Scope, "outputs">): ClientExchange {
  const output = outputs.get(name);
  if (output?.kind === "answer") return output.exchange;
  const isSkipped = output?.kind === "nothing";
  return inconclusive(isSkipped ? `${name} ${output.why}` : `${name} is not an answer`);
}

/** The value at a path. */
export function referenceTo(ref: string, scope: Scope): unknown {
  const [name = "", ...path] = ref.split(".");
  if (name !== "publishers") return valueAt(contentOf(name, scope), path, ref);
  const [ordinal = "", ...rest] = path;
  return valueAt(memberAt(Number(ordinal), scope), rest, ref);
}

function memberAt(ordinal: number, { members }: Scope): Member {
  return members.get(ordinal) ?? inconclusive(`there is no publisher ${ordinal}`);
}

/** The content of a step's output: an answer's body as JSON, a tally, a publisher, or the keys of a rotation. */
function contentOf(name: string, scope: Scope): unknown {
  const output = scope.outputs.get(name);
  switch (output?.kind) {
    case undefined:
      return inconclusive(`nothing has the name ${name} yet`);
    case "answer": {
      const { value, instead } = jsonBody(output.exchange);
      return instead === undefined ? value : inconclusive(`${name} has ${instead}`);
    }
    case "publisher":
      return memberAt(output.ordinal, scope);
    case "content":
      return output.content;
    case "nothing":
      return inconclusive(`${name} ${output.why}`);
  }
}

/** The body of a whole answer as JSON, or what there is instead. */
export function jsonBody({ outcome, text, status }: ClientExchange): {
  readonly value?: unknown;
  readonly instead?: string;
} {
  if (outcome !== "answered") return { instead: `no complete answer: it was ${outcome}` };
  const value = jsonIn(text);
  return value === undefined ? { instead: `a body that isn't JSON (status ${status})` } : { value };
}

/** What is at this path of `content`. Inherited members don't count. */
function valueAt(content: unknown, path: readonly string[], whole: string): unknown {
  let at = content;
  for (const part of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) {
      return inconclusive(`${whole} does not exist: there is no ${part}`);
    }
    at = (at as Readonly<Record<string, unknown>>)[part];
  }
  return at;
}
