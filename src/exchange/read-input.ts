/** A request to the typed input of its operation: parsed, then validated; the usual JSON body in one go. */

import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import {
  type Input,
  type Operation,
  type OperationId,
  operations,
} from "../contract/operations.ts";
import { flatJsonReader } from "./json-flat.ts";
import { createParameterParser, MAX_BODY_BYTES, type ParsedTarget } from "./parameters.ts";
import { createValidator, type Validated } from "./validate.ts";

export type InputReader = (request: ParsedTarget) => Validated<OperationId>;

/** One reader an operation. */
export function createInputReaders(
  assumptions: Assumptions,
): Readonly<Record<OperationId, InputReader>> {
  return {
    stats: longWay(assumptions, operations.stats),
    impression: shortWay(assumptions, operations.impression, readImpression),
    click: shortWay(assumptions, operations.click, readClick),
    surfaces: longWay(assumptions, operations.surfaces),
    payouts: longWay(assumptions, operations.payouts),
  };
}

function longWay(assumptions: Assumptions, operation: Operation): InputReader {
  const parse = createParameterParser(assumptions, operation);
  const validate = createValidator(assumptions, operation);
  return (request) => {
    const parsed = parse(request);
    return parsed.kind === "refused" ? parsed : validate(parsed.raw);
  };
}

const readsJson = { any: true } satisfies Record<Choice<"request.encoding">, boolean>;

/** Reads the usual body directly; anything else, and anything wrong, goes the long way. */
function shortWay(
  assumptions: Assumptions,
  operation: Operation,
  readBody: (text: string) => Input<OperationId> | undefined,
): InputReader {
  const read = longWay(assumptions, operation);
  if (!readsJson[assumptions["request.encoding"]]) return read;
  return (request) => {
    const { body, headers, query } = request;
    if (
      typeof body !== "string" ||
      headers["content-type"] !== "application/json" ||
      query !== "" ||
      body.length > MAX_BODY_BYTES
    ) {
      return read(request);
    }
    const input = readBody(body);
    return input === undefined ? read(request) : { kind: "valid", input };
  };
}

const readImpressionValues = flatJsonReader(Object.keys(operations.impression.parameters));

function readImpression(text: string): Input<"impression"> | undefined {
  const values = readImpressionValues(text);
  if (values === undefined) return undefined;
  const [publisher_id, surface, ad_id, session_id] = values;
  if (publisher_id === undefined || surface === undefined || ad_id === undefined) return undefined;
  return { publisher_id, surface, ad_id, session_id };
}

const readClickValues = flatJsonReader(Object.keys(operations.click.parameters));

function readClick(text: string): Input<"click"> | undefined {
  const impression_id = readClickValues(text)?.[0];
  return impression_id === undefined ? undefined : { impression_id };
}
