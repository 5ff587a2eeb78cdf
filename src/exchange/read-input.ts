/** Reads a request into the typed input of its operation: parses, then validates. The usual click has a short cut. */

import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import {
  type Input,
  type Operation,
  type OperationId,
  operations,
  subjectOf,
} from "../spec/operations.ts";
import { alsoShapedBy } from "./operations/outcome.ts";
import { createParameterParser, type ParameterSource } from "./parameters.ts";
import { authorizationIfPlainJson, isShortText, readsJson } from "./plain-json.ts";
import { createValidator, shapedByReading, type Validated } from "./validate.ts";

export type InputReader = (request: ParameterSource) => Validated<OperationId>;

/** One reader for each operation. */
export function createInputReaders(
  assumptions: Assumptions,
): Readonly<Record<OperationId, InputReader>> {
  return {
    stats: createParsingReader(assumptions, operations.stats),
    impression: createParsingReader(assumptions, operations.impression),
    click: clickReader(assumptions),
    surfaces: createParsingReader(assumptions, operations.surfaces),
    payouts: createParsingReader(assumptions, operations.payouts),
  };
}

function createParsingReader(assumptions: Assumptions, operation: Operation): InputReader {
  const parse = createParameterParser(assumptions, operation);
  const validate = createValidator(assumptions, operation);
  const shapedBy = shapedByReading(operation);
  return (request) => {
    const parsed = parse(request);
    const validated = parsed.kind === "refused" ? parsed : validate(parsed);
    return validated.kind === "refused" ? alsoShapedBy(validated, shapedBy) : validated;
  };
}

/** Reads the usual body with one pattern. Parses any other body, including invalid ones. */
function clickReader(assumptions: Assumptions): InputReader {
  const read = createParsingReader(assumptions, operations.click);
  const shapedBy = shapedByReading(operations.click);
  if (!readsJson[assumptions["request.encoding"]]) return read;
  return (request) => {
    const { body } = request;
    const isUsual = isShortText(body) && authorizationIfPlainJson(request) !== undefined;
    const input = isUsual ? readClick(body) : undefined;
    if (input === undefined) return read(request);
    return { kind: "valid", input, subject: subjectOf("click", input), shapedBy };
  };
}

/** A click's body as nearly every client writes it. The id must be printable ASCII without escapes. */
const CLICK = /^\{"impression_id": ?"([ !#-[\]-~]+)"\}$/;

function readClick(text: string): Input<"click"> | undefined {
  const impression_id = CLICK.exec(text)?.[1];
  return impression_id === undefined ? undefined : { impression_id };
}
