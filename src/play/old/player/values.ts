/** Resolves the values in a scenario: references, headers of answers, numbered texts, sums. */

import { day, dayOfInstant, formatDay } from "../../../base/calendar.ts";
import { isPlainObject } from "../../../base/input.ts";
import { microsToInr, nearestMicros } from "../../../base/money.ts";
import type { ClientExchange, Member } from "../../../invariants/client-exchange.ts";
import { inconclusive } from "../../../invariants/ensure.ts";
import type { Operand, Value } from "../../scenario/types.ts";
import { valueObject } from "../../scenario/values.ts";
import { contentOf, memberAt, type StepOutput } from "./step-output.ts";

/** Where references are looked up. */
export interface Scope {
  stepOutput(name: string): StepOutput | undefined;
  member(ordinal: number): Member | undefined;
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
  const { headers } = answerOf(value.of, scope);
  const name = value.header.toLowerCase();
  if (Object.hasOwn(headers, name)) return headers[name];
  return inconclusive(`${value.of} has no header ${value.header}`);
}

export function answerOf(name: string, { stepOutput }: Pick<Scope, "stepOutput">): ClientExchange {
  const output = stepOutput(name);
  if (output?.kind === "answer") return output.exchange;
  const isSkipped = output?.kind === "nothing";
  return inconclusive(
    isSkipped ? `${name} was skipped: ${output.why}` : `${name} is not an answer`,
  );
}

/** The value at a path. */
export function referenceTo(ref: string, scope: Scope): unknown {
  const [name = "", ...path] = ref.split(".");
  if (name !== "publishers") return memberAt(contentOf(name, scope.stepOutput(name)), path, ref);
  const [ordinal = "", ...rest] = path;
  const member = scope.member(Number(ordinal));
  return member === undefined
    ? inconclusive(`there is no publisher ${ordinal}`)
    : memberAt(member, rest, ref);
}

/** Ordinals of the publishers that references in `data` name. */
export function ordinalsIn(data: unknown): readonly number[] {
  if (typeof data !== "object" || data === null) return [];
  return Object.entries(data).flatMap(([name, part]) => {
    if (typeof part !== "string") return ordinalsIn(part);
    const ordinal =
      name === "ref" || name === "of" ? /^publishers\.(\d+)/.exec(part)?.[1] : undefined;
    return ordinal === undefined ? [] : [Number(ordinal)];
  });
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

/** Whether this is an object that stands for a value. */
export function isIndirect(
  value: unknown,
): value is Exclude<Value, string | number | boolean | null> {
  return isPlainObject(value) && valueObject(value) !== undefined;
}
