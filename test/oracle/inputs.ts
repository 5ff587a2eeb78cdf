/** Reads the input of an operation from a call, or refuses it (spec §4). */

import { isDay } from "./calendar.ts";
import { type Call, isJson, type Operation, operations, type Parameter } from "./calls.ts";
import type { Choices } from "./choices.ts";
import { type Refused, refused } from "./expectation.ts";

/** The values as text, or the code of the refusal. */
export type Input = { readonly kind: "values"; readonly values: Values } | Refused;

export type Values = Readonly<Record<string, string | undefined>>;

export const DEFAULT_LIMIT = 20;
const MAX_PAYOUTS = 100;

export function inputOf(call: Call, choices: Choices): Input {
  const operation = operations[call.operation];
  const carried =
    operation.method === "POST" ? carrierProblem(call, operation, choices) : undefined;
  const code = carried ?? call.way.unreadable?.code;
  if (code !== undefined) return refused(code);

  const sent = Object.entries(call.values).filter(([, value]) => value !== undefined);
  const isKnown = (name: string): boolean => operation.parameters.some((one) => one.name === name);
  if (choices["request.values"] === "strict" && sent.some(([name]) => !isKnown(name))) {
    return refused("unknown_parameter");
  }
  const values: Record<string, string | undefined> = {};
  for (const parameter of operation.parameters) {
    const value = valueSent(call, operation, parameter.name);
    if (value === undefined) {
      if (parameter.required) return refused("missing_parameter");
      continue;
    }
    const text = textOf(value, parameter, choices);
    if (text === undefined) return refused("invalid_parameter");
    values[parameter.name] = text;
  }
  return { kind: "values", values };
}

/** The code of the refusal if the service doesn't read parameters sent in this way. */
function carrierProblem(
  { values, way }: Call,
  { parameters }: Operation,
  choices: Choices,
): string | undefined {
  const { carrier, inQuery } = way;
  const encoding = choices["request.encoding"];
  const hasBody = bodyIsSent(values, way);
  if (hasBody && encoding === "query") return "unsupported_media_type";
  if (carrier === "text" || carrier === "encoded") return "unsupported_media_type";
  const names = carrier === "query" ? Object.keys(values) : inQuery;
  const named = parameters.some(({ name }) => names.includes(name) && values[name] !== undefined);
  if (named && (encoding === "json" || encoding === "form")) return "unsupported_media_type";
  if (!hasBody) return undefined;

  // A body without Content-Type is read as a form if that is the only encoding; otherwise as JSON.
  const untyped = encoding === "form" ? "form" : "json";
  const kind = isJson(carrier) ? "json" : "form";
  const isUntyped = carrier === "untyped-json" || carrier === "untyped-form";
  if (!isUntyped) {
    const other = encoding !== "any" && encoding !== kind;
    return other ? "unsupported_media_type" : undefined;
  }
  if (kind === untyped) return undefined;
  if (untyped === "json") return "malformed_body";
  // A JSON text read as a form is one parameter with an unknown name.
  return choices["request.values"] === "strict" ? "unknown_parameter" : "missing_parameter";
}

/** A form without values counts as no body. */
function bodyIsSent(
  values: Call["values"],
  { carrier, inQuery, unreadable }: Call["way"],
): boolean {
  if (carrier === "query") return false;
  if (isJson(carrier) || unreadable !== undefined) return true;
  return Object.entries(values).some(
    ([name, value]) => value !== undefined && !inQuery.includes(name),
  );
}

/** A value as it arrives: outside a JSON body it is text. */
function valueSent({ values, way }: Call, { method }: Operation, name: string): unknown {
  const value = values[name];
  const typed = method === "POST" && isJson(way.carrier) && !way.inQuery.includes(name);
  return value === undefined || typed ? value : String(value);
}

/** The value as text; undefined if it is invalid. */
function textOf(value: unknown, { type }: Parameter, choices: Choices): string | undefined {
  if (type === "date") return typeof value === "string" && isDay(value) ? value : undefined;
  if (type === "whole") return wholeNumber(value, choices);
  if (typeof value === "number") {
    return choices["request.values"] === "lenient" ? decimal(value) : undefined;
  }
  if (typeof value !== "string" || value === "" || !value.isWellFormed()) return undefined;
  for (const character of value) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return undefined;
  }
  return value;
}

/** A number in decimal notation; undefined for an integer above the safe range. */
function decimal(number: number): string | undefined {
  if (!Number.isFinite(number)) return undefined;
  if (Number.isInteger(number)) return Number.isSafeInteger(number) ? number.toFixed(0) : undefined;
  // The fewest decimals that identify it.
  const places = Array.from({ length: 101 }, (_, count) => count);
  const enough = places.find((count) => Number(number.toFixed(count)) === number);
  return enough === undefined ? undefined : number.toFixed(enough);
}

/** The only whole number is the limit of payouts. It is in the query, so it is always text. */
function wholeNumber(value: unknown, choices: Choices): string | undefined {
  if (typeof value !== "string" || !/^-?\d+$/.test(value)) return undefined;
  const number = Number(value);
  if (number < 1) return undefined;
  if (number <= MAX_PAYOUTS) return String(number);
  return choices["payout.limit-over-max"] === "clamp" ? String(MAX_PAYOUTS) : undefined;
}
