/** Works out the values that a scenario writes: references, headers of answers, numbered texts, sums. */

import { isPlainObject } from "../../base/input.ts";
import { MICROS_PER_INR, nearestMicros } from "../../base/money.ts";
import type { Member } from "../../laws/seen-exchange.ts";
import type { Operand, Value } from "../language/scenario.ts";
import type { Playing } from "./effects.ts";
import { contentOf, type Found, found, memberAt, type Named, unknown } from "./names.ts";

/** What references are looked up in. */
export interface Scope {
  named(name: string): Named | undefined;
  member(ordinal: number): Playing<Member | undefined>;
  /** Number of the round of the innermost repeat or parallel, from 1; 1 outside. */
  readonly round: number;
}

export function* resolveValue(value: Value, scope: Scope): Playing<Found> {
  if (typeof value !== "object" || value === null) return found(value);
  if ("ref" in value) return yield* referenceTo(value.ref, scope);
  if ("numbered" in value) return found(`${value.numbered}${scope.round}`);
  const named = scope.named(value.of);
  if (named?.kind !== "answer") return unknown(whyNoAnswer(value.of, named));
  const { headers } = named.exchange;
  const name = value.header.toLowerCase();
  const header = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return header === undefined
    ? unknown(`${value.of} has no header ${value.header}`)
    : found(header);
}

export function whyNoAnswer(name: string, named: Named | undefined): string {
  return named?.kind === "nothing" ? `${name} was skipped: ${named.why}` : `${name} is no answer`;
}

function* referenceTo(ref: string, scope: Scope): Playing<Found> {
  const [name = "", ...path] = ref.split(".");
  if (name === "publishers") {
    const [ordinal = "", ...rest] = path;
    const member = yield* scope.member(Number(ordinal));
    if (member === undefined) return unknown(`there is no publisher ${ordinal}`);
    return memberAt(member, rest, ref);
  }
  const content = contentOf(name, scope.named(name));
  return content.kind === "unknown" ? content : memberAt(content.value, path, ref);
}

/** A number that is written, referred to, or a sum of such. Sums are exact to the micro. */
export function* numberOf(operand: Operand, scope: Scope): Playing<Found<number>> {
  if (typeof operand === "number") return found(operand);
  if ("ref" in operand) {
    const referred = yield* referenceTo(operand.ref, scope);
    if (referred.kind === "unknown") return referred;
    const { value } = referred;
    return typeof value === "number" ? found(value) : unknown(`${operand.ref} is no number`);
  }
  let micros = 0;
  for (const part of operand.sum) {
    const number = yield* numberOf(part, scope);
    if (number.kind === "unknown") return number;
    micros += nearestMicros(number.value);
  }
  return found(micros / MICROS_PER_INR);
}

/** All values of an object, in their places. */
export function* resolveValues(
  values: Readonly<Record<string, Value | undefined>>,
  scope: Scope,
): Playing<Found<Record<string, unknown>>> {
  const worked: [string, unknown][] = [];
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    const given = yield* resolveValue(value, scope);
    if (given.kind === "unknown") return given;
    worked.push([name, given.value]);
  }
  return found(Object.fromEntries(worked));
}

/** Whether it is one of the objects that stand for a value. */
export function isIndirect(
  value: unknown,
): value is Exclude<Value, string | number | boolean | null> {
  if (!isPlainObject(value)) return false;
  const keys = Object.keys(value);
  if (keys.length === 1) return keys[0] === "ref" || keys[0] === "numbered";
  return keys.length === 2 && Object.hasOwn(value, "header") && Object.hasOwn(value, "of");
}
