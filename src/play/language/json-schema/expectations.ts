/** Matchers and expectations in the JSON schema of scenarios. */

import { requestOutcomes } from "../../../laws/seen-exchange.ts";
import type { JsonSchema } from "../../../spec/responses.ts";
import { ruleKeys } from "../parse/matchers.ts";

import { choice, list, object, oneOrMore, part } from "./parts.ts";

const matcher = part("matcher");
const operand = part("operand");

const rules: Readonly<Record<(typeof ruleKeys)[number], JsonSchema>> = {
  atLeast: { ...operand, description: "This or more." },
  atMost: { ...operand, description: "This or less." },
  between: {
    type: "array",
    prefixItems: [operand, operand],
    minItems: 2,
    maxItems: 2,
    description: "From the first to the second.",
  },
  oneOf: list(matcher, "At least one of these."),
  not: { ...matcher, description: "Anything but this." },
  type: choice(["string", "integer", "number", "boolean", "null", "array", "object"]),
  contains: { type: "string", minLength: 1, description: "A text that holds this." },
  startsWith: { type: "string", minLength: 1, description: "A text that begins with this." },
  length: { ...matcher, description: "Of a text, in UTF-16 units, or of a list." },
  every: { ...matcher, description: "Each element of a list; nothing is known of an empty one." },
  some: { ...matcher, description: "At least one element of a list." },
  absent: { const: true, description: "There is no such member." },
  sum: list(operand, "Exactly, to the micro."),
  equals: { description: "Literally this, even if it looks like a rule." },
};

const answer: Readonly<Record<string, JsonSchema>> = {
  outcome: oneOrMore(choice(requestOutcomes), "What the client sees of the request."),
  status: { ...matcher, description: "Of the response." },
  headers: {
    type: "object",
    additionalProperties: matcher,
    description: "By name, in lower case.",
  },
  body: { ...matcher, description: "Of the body as JSON." },
  text: { ...matcher, description: "Of the body as it came." },
};
const something: JsonSchema = { minProperties: 1 };

export const expectationParts: Readonly<Record<string, JsonSchema>> = {
  operand: {
    description: "A number, a reference to one, or a sum of such.",
    anyOf: [{ type: "number" }, part("ref"), object({ sum: list(operand) }, ["sum"])],
  },
  matcher: {
    description:
      "What a value must be. A plain value: the same. An object: these members, whatever others there are. A list: the same length, each in turn. Or a rule: an object with one key.",
    anyOf: [
      part("value"),
      { type: "array", items: matcher },
      ...Object.entries(rules).map(([key, schema]) => object({ [key]: schema }, [key])),
      {
        type: "object",
        additionalProperties: matcher,
        not: {
          maxProperties: 1,
          anyOf: ["ref", "numbered", ...ruleKeys].map((key) => ({ required: [key] })),
        },
      },
    ],
  },
  answer: { ...object(answer), ...something },
  expectation: {
    anyOf: [
      {
        ...object({
          ...answer,
          answer: part("name", "The request that it is about. Default: the last one."),
        }),
        ...something,
      },
      object({ of: part("path", "What an earlier step gave, or a part of it."), is: matcher }, [
        "of",
        "is",
      ]),
      ...["stats", "surfaces", "payouts"].map((report) =>
        object(
          {
            [report]: {
              ...part(report === "surfaces" ? "nothing" : report),
              description: "What the service reports, asked aside: it spends no quota.",
            },
            publisher: part("publisher"),
            is: matcher,
          },
          [report, "is"],
        ),
      ),
      object({ audit: { ...matcher, description: "Of what the audit tells." } }, ["audit"]),
      object(
        {
          invariant: {
            type: "string",
            pattern: "^(?:all|[A-Z][0-9]{1,2})$",
            description: 'An invariant by its id, such as "M1", or "all".',
          },
        },
        ["invariant"],
      ),
    ],
  },
  nothing: object({}),
};
