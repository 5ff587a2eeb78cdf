/** Reads a request into the typed input of its operation, by the spec's table (spec §4). Errors never repeat an id. */

import { parseDay } from "../base/calendar.ts";
import { shownName } from "../base/text.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import {
  type Input,
  type Operation,
  type OperationId,
  operations,
  type Parameter,
  type Subject,
  subjectOf,
} from "../spec/operations.ts";
import { type Refusal, refused } from "./operations/outcome.ts";
import {
  type ParameterSource,
  parameterLabel,
  parseParameters,
  type SentParameters,
} from "./parameters.ts";

export type Read =
  | {
      readonly kind: "valid";
      readonly input: Input<OperationId>;
      readonly subject: Subject;
      /** Whether stricter reading would have refused it. */
      readonly isTolerated: boolean;
    }
  | Refusal;

export type Reader = (operation: OperationId, request: ParameterSource) => Read;

export function createReader(assumptions: Assumptions): Reader {
  return (id, request) => {
    const sent = parseParameters(request, operations[id], assumptions["request.encoding"]);
    return sent.kind === "refused" ? sent : validate(sent, operations[id], assumptions);
  };
}

function validate(sent: SentParameters, operation: Operation, assumptions: Assumptions): Read {
  const { raw, unknown, hint } = sent;
  const [unknownName] = unknown;
  if (unknownName !== undefined && assumptions["request.values"] === "strict") {
    const name = hint === "" ? unknownName : "body";
    const known = Object.keys(operation.parameters).join(", ");
    const detail = `${parameterLabel(name)} is unknown. This operation has: ${known}.${hint}`;
    return refused("unknown_parameter", detail, shownName(name));
  }
  let isTolerated = unknownName !== undefined;
  const input: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(operation.parameters)) {
    const value = raw[name];
    if (value === undefined) {
      if (parameter.required) return missing(name, parameter, sent);
      if (parameter.type === "integer") input[name] = parameter.default;
      continue;
    }
    const read = readValue(value, parameter, assumptions);
    if ("must" in read) return refused("invalid_parameter", `${name} ${read.must}.`, name);
    isTolerated ||= typeof value === "number";
    input[name] = read.value;
  }
  // Every parameter of the table was checked and converted.
  const typed = input as Input<OperationId>;
  return { kind: "valid", input: typed, subject: subjectOf(typed), isTolerated };
}

/** A converted value, or what is wrong with it. */
type Value = { readonly value: unknown } | { readonly must: string };

function readValue(sent: unknown, parameter: Parameter, assumptions: Assumptions): Value {
  switch (parameter.type) {
    case "string":
      return readText(sent, assumptions);
    case "date":
      return readDate(sent);
    case "integer":
      return readInteger(sent, parameter, assumptions);
  }
}

function readText(sent: unknown, assumptions: Assumptions): Value {
  if (typeof sent === "number") {
    if (assumptions["request.values"] === "strict") return { must: "must be a string" };
    const text = decimalText(sent);
    if (text !== undefined) return { value: text };
    return { must: "is a number too large to read exactly; send it as a string" };
  }
  if (typeof sent !== "string") return { must: "must be a string" };
  if (sent === "") return { must: "must not be empty" };
  if (!/[\p{Cc}\p{Cs}]/u.test(sent)) return { value: sent };
  return { must: "must not contain control characters or lone surrogates" };
}

/** A number without exponent; undefined for an integer past 2^53, which has lost digits. */
function decimalText(number: number): string | undefined {
  if (Number.isSafeInteger(number)) return String(number);
  if (!Number.isFinite(number) || Number.isInteger(number)) return undefined;
  const [, sign = "", digits = "", zeros] = /^(-?)([\d.]+)(?:e-(\d+))?$/.exec(String(number)) ?? [];
  if (zeros === undefined) return sign + digits;
  return `${sign}0.${"0".repeat(Number(zeros) - 1)}${digits.replace(".", "")}`;
}

function readDate(sent: unknown): Value {
  const day = typeof sent === "string" ? parseDay(sent) : undefined;
  if (day !== undefined) return { value: day };
  if (typeof sent === "string" && /^\d{4}-\d{2}-\d{2}$/.test(sent)) {
    return { must: `must be a date that exists; ${sent} does not exist` };
  }
  return { must: "must be a date written YYYY-MM-DD" };
}

function readInteger(
  sent: unknown,
  { minimum, maximum }: Extract<Parameter, { type: "integer" }>,
  assumptions: Assumptions,
): Value {
  const must = `must be a whole number from ${minimum} to ${maximum}`;
  // Only GET operations have integers, and a query holds texts.
  if (typeof sent !== "string" || !/^-?\d+$/.test(sent)) return { must };
  const value = Number(sent);
  if (value >= minimum && value <= maximum) return { value };
  const clamps = assumptions["payout.limit-over-max"] === "clamp";
  if (value > maximum && clamps) return { value: maximum };
  // A long number isn't repeated, because it may be an id.
  return { must: Math.abs(value) < 1e15 ? `${must}; ${value} is not` : must };
}

function missing(name: string, { about }: Parameter, { unknown, hint }: SentParameters): Refusal {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, "");
  const similar = unknown.find((sent) => plain(sent) === plain(name));
  // "Publisher ID" says no more than the name.
  const meaning = plain(about) === plain(name) ? "" : `: ${about.toLowerCase()}`;
  const spelling =
    similar === undefined ? "" : ` You sent ${shownName(similar)}; the name is spelled ${name}.`;
  const detail = `${name} is required${meaning}.${spelling}${hint}`;
  return refused("missing_parameter", detail, name);
}
