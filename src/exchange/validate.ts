/** Turns raw values into the typed input of an operation, by the spec's table (spec §4). Errors never repeat an id. */

import { parseDay } from "../base/calendar.ts";
import { shownName } from "../base/text.ts";
import type { AssumptionKey, Assumptions, Choice } from "../spec/assumptions/catalogue.ts";
import {
  type Input,
  type Operation,
  type OperationId,
  type Parameter,
  type Subject,
  subjectOf,
} from "../spec/operations.ts";
import { documented, type Refusal, refused, type ShapedBy } from "./operations/outcome.ts";
import { parameterLabel, type SentParameters } from "./parameters.ts";

export type Validated<Id extends OperationId> =
  | {
      readonly kind: "valid";
      readonly input: Input<Id>;
      readonly subject: Subject;
      readonly shapedBy: ShapedBy;
    }
  | Refusal;

export type Validator = (sent: SentParameters) => Validated<OperationId>;

/** A converted value, or what is wrong with it. `because` is the assumption that decided it. */
type Read =
  | { readonly kind: "value"; readonly value: unknown; readonly because?: AssumptionKey }
  | { readonly kind: "wrong"; readonly must: string; readonly because?: AssumptionKey };

const isStrict = { lenient: false, strict: true } satisfies Record<
  Choice<"request.values">,
  boolean
>;
const clamps = { reject: false, clamp: true } satisfies Record<
  Choice<"payout.limit-over-max">,
  boolean
>;

interface Choices {
  readonly isStrict: boolean;
  readonly clamps: boolean;
}

export function createValidator(assumptions: Assumptions, operation: Operation): Validator {
  const choices: Choices = {
    isStrict: isStrict[assumptions["request.values"]],
    clamps: clamps[assumptions["payout.limit-over-max"]],
  };
  const expected = Object.entries<Parameter>(operation.parameters).map(([name, parameter]) => {
    const left = absent(parameter);
    return { name, parameter, isOptional: left.kind === "value" && left.value === undefined };
  });

  return ({ raw, unknown }) => {
    const [unknownName] = unknown;
    if (unknownName !== undefined && choices.isStrict)
      return unknownParameter(unknownName, operation);
    let shapedBy = shapedByReading(operation);
    if (unknownName !== undefined) shapedBy = [...shapedBy, "request.values"];
    // Valid text needs no conversion. Only converted values need a copy of the parameters.
    let copy: Record<string, unknown> | undefined;
    for (const { name, parameter, isOptional } of expected) {
      const sent = raw[name];
      if (sent === undefined && isOptional) continue;
      if (typeof sent === "string" && parameter.type === "string" && isPlain(sent)) continue;
      const value = sent === undefined ? absent(parameter) : read(sent, parameter, choices);
      if (value.kind === "wrong") {
        return sent === undefined
          ? missing(name, parameter, unknown)
          : refused(
              {
                code: "invalid_parameter",
                detail: `${name} ${value.must}.`,
                parameter: name,
              },
              ...(value.because === undefined ? [] : [value.because]),
            );
      }
      if (value.because !== undefined) shapedBy = [...shapedBy, value.because];
      copy ??= { ...raw };
      copy[name] = value.value;
    }
    // Every parameter of the table was checked or converted above.
    const input = (copy ?? raw) as Input<OperationId>;
    return { kind: "valid", input, subject: subjectOf(operation.id, input), shapedBy };
  };
}

/** The assumption that shapes every input of an operation: the spec doesn't say how POST parameters are sent. */
export function shapedByReading({ method }: Operation): ShapedBy {
  return method === "POST" ? shapedByEncoding : documented;
}

const shapedByEncoding: ShapedBy = ["request.encoding"];

function absent(parameter: Parameter): Read {
  if (parameter.required) return { kind: "wrong", must: "is required" };
  return { kind: "value", value: parameter.type === "integer" ? parameter.default : undefined };
}

/** Whether a text is non-empty and has no control characters or lone surrogates. */
function isPlain(text: string): boolean {
  return text !== "" && !/[\p{Cc}\p{Cs}]/u.test(text);
}

function read(sent: unknown, parameter: Parameter, choices: Choices): Read {
  switch (parameter.type) {
    case "string":
      return readText(sent, choices);
    case "date":
      return readDate(sent);
    case "integer":
      return readInteger(sent, parameter, choices);
  }
}

function readText(sent: unknown, choices: Choices): Read {
  if (typeof sent === "number") {
    const because = "request.values";
    if (choices.isStrict) return { ...wrong("must be a string"), because };
    const text = decimalText(sent);
    if (text !== undefined) return { kind: "value", value: text, because };
    return wrong("is a number too large to read exactly; send it as a string");
  }
  if (typeof sent !== "string") return wrong("must be a string");
  if (sent === "") return wrong("must not be empty");
  if (isPlain(sent)) return { kind: "value", value: sent };
  return wrong("must not contain control characters or lone surrogates");
}

/** A number without exponent; undefined for an integer past 2^53, which has lost digits. */
function decimalText(number: number): string | undefined {
  if (Number.isSafeInteger(number)) return String(number);
  if (!Number.isFinite(number) || Number.isInteger(number)) return undefined;
  const [, sign = "", digits = "", zeros] = /^(-?)([\d.]+)(?:e-(\d+))?$/.exec(String(number)) ?? [];
  if (zeros === undefined) return sign + digits;
  return `${sign}0.${"0".repeat(Number(zeros) - 1)}${digits.replace(".", "")}`;
}

function readDate(sent: unknown): Read {
  const day = typeof sent === "string" ? parseDay(sent) : undefined;
  if (day !== undefined) return { kind: "value", value: day };
  if (typeof sent === "string" && /^\d{4}-\d{2}-\d{2}$/.test(sent)) {
    return wrong(`must be a date that exists; ${sent} does not exist`);
  }
  return wrong("must be a date written YYYY-MM-DD");
}

function readInteger(
  sent: unknown,
  parameter: Extract<Parameter, { type: "integer" }>,
  choices: Choices,
): Read {
  const { minimum, maximum } = parameter;
  const must = `must be a whole number from ${minimum} to ${maximum}`;
  // Only GET operations have integers, and a query holds texts.
  if (typeof sent !== "string" || !/^-?\d+$/.test(sent)) return wrong(must);
  const value = Number(sent);
  if (value >= minimum && value <= maximum) return { kind: "value", value };
  // A long number isn't repeated, because it may be an id.
  const refusal = wrong(Math.abs(value) < 1e15 ? `${must}; ${value} is not` : must);
  if (value < minimum) return refusal;
  const because = "payout.limit-over-max";
  return choices.clamps ? { kind: "value", value: maximum, because } : { ...refusal, because };
}

function wrong(must: string): Read {
  return { kind: "wrong", must };
}

function missing(name: string, parameter: Parameter, unknown: readonly string[]): Refusal {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, "");
  const similar = unknown.find((sent) => plain(sent) === plain(name));
  // "Publisher ID" says no more than the name.
  const about = plain(parameter.about) === plain(name) ? "" : `: ${parameter.about.toLowerCase()}`;
  const hint =
    similar === undefined ? "" : ` You sent ${shownName(similar)}; the name is spelled ${name}.`;
  return refused({
    code: "missing_parameter",
    detail: `${name} is required${about}.${hint}`,
    parameter: name,
  });
}

function unknownParameter(name: string, { parameters }: Operation): Refusal {
  const known = Object.keys(parameters).join(", ");
  return refused(
    {
      code: "unknown_parameter",
      detail: `${parameterLabel(name)} is unknown. This operation has: ${known}.`,
      parameter: shownName(name),
    },
    "request.values",
  );
}
