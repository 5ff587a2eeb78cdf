/** What the JSON schema of scenarios is built of: objects without unknown members, references, and small values. */

import type { JsonSchema } from "../../../spec/responses.ts";
import { NAME_PATTERN } from "../parse/values.ts";

/** An object with these members and no others. */
export function object(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return {
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** A part that is defined once, with what it means here. */
export function part(name: string, description?: string): JsonSchema {
  return { $ref: `#/$defs/${name}`, ...(description === undefined ? {} : { description }) };
}

export function list(items: JsonSchema, description?: string): JsonSchema {
  return {
    type: "array",
    minItems: 1,
    items,
    ...(description === undefined ? {} : { description }),
  };
}

export function oneOrMore(items: JsonSchema, description: string): JsonSchema {
  return { anyOf: [items, list(items)], description };
}

export function choice(choices: readonly string[], description?: string): JsonSchema {
  return { enum: choices, ...(description === undefined ? {} : { description }) };
}

export function whole(minimum: number, description: string, maximum?: number): JsonSchema {
  return { type: "integer", minimum, ...(maximum === undefined ? {} : { maximum }), description };
}

export function share(description: string): JsonSchema {
  return { type: "number", minimum: 0, maximum: 1, description };
}

export const headerName: JsonSchema = { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" };

/** Small values that many parts have. */
export const smallParts: Readonly<Record<string, JsonSchema>> = {
  duration: {
    description:
      'Whole milliseconds, or a whole number with a unit: "250ms", "90s", "15m", "36h", "30d".',
    anyOf: [
      { type: "integer", minimum: 0 },
      { type: "string", pattern: "^\\d{1,15}(?:ms|s|m|h|d)$" },
    ],
  },
  instant: { type: "string", description: 'In ISO 8601, such as "2026-03-01T00:00:00Z".' },
  name: {
    type: "string",
    pattern: NAME_PATTERN,
    description:
      "What later steps call it: a letter, then letters, digits, underscores and hyphens.",
  },
  path: {
    type: "string",
    maxLength: 500,
    description: 'The name of an earlier step and a path, such as "first.impression_id".',
  },
  publisher: {
    description: "Its ordinal, from 0, or the name of the step that signed it up.",
    anyOf: [{ type: "integer", minimum: 0 }, part("name")],
  },
  ref: object({ ref: part("path") }, ["ref"]),
  value: {
    description: "A plain value, or one that comes of earlier steps.",
    anyOf: [
      { type: ["string", "number", "boolean", "null"] },
      part("ref"),
      object(
        {
          header: { type: "string", description: "Its name in lower case." },
          of: part("name", "The request whose answer has it."),
        },
        ["header", "of"],
      ),
      object(
        {
          numbered: {
            type: "string",
            description: "Followed by the number of the round of the innermost repeat or parallel.",
          },
        },
        ["numbered"],
      ),
    ],
  },
  values: { type: "object", additionalProperties: part("value") },
};
