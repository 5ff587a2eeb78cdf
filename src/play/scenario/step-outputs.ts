/** The shapes of step outputs, service reports and audits: which members they have and which paths lead into them. */

import type { Audit, PublisherAudit } from "../../audit/audit.ts";
import { eventLinesOf, figuresWithoutAccount } from "../../audit/event-line.ts";
import { operationIds } from "../../spec/operations.ts";
import { type JsonSchema, lenientSchemas } from "../../spec/responses.ts";
import { createTally as createEventTally } from "../../world/accounts/tally.ts";
import { createTally } from "../measure/tally.ts";
import type { StepKind } from "./step-kind.ts";

/** What a path leads through: members by name, list elements by index, or a plain value (`end`). `anything`: unknown. */
export type OutputShape =
  | { readonly kind: "end" }
  | { readonly kind: "anything" }
  | { readonly kind: "members"; readonly members: Readonly<Record<string, OutputShape>> }
  | { readonly kind: "list"; readonly element: OutputShape }
  /** Members whose names are numbers, such as statuses. */
  | { readonly kind: "numbered"; readonly element: OutputShape };

const end: OutputShape = { kind: "end" };
const anything: OutputShape = { kind: "anything" };

/** Members of error bodies under any choice of `errors.body`, since steps also match error answers. */
const errorMembers = ["type", "title", "status", "detail", "code", "parameter", "error", "errors"];

const surface: OutputShape = membersOf(["id", "name", "status"], {
  cpmRange: { kind: "list", element: end },
});
const publisher: OutputShape = membersOf(["id", "apiKey", "joined"], {
  surfaces: { kind: "list", element: surface },
});
export const publisherList: OutputShape = { kind: "list", element: publisher };

const tallyMembers = {
  ...membersLike(createTally().summary()),
  statuses: { kind: "numbered", element: end },
  operations: membersOf(
    [],
    Object.fromEntries(operationIds.map((id) => [id, membersOf(["sent", "ok"])])),
  ),
} satisfies Readonly<Record<string, OutputShape>>;
/** The output of traffic, repeat and parallel. */
export const tally: OutputShape = { kind: "members", members: tallyMembers };

const totalMembers = membersLike(eventLinesOf([figuresWithoutAccount(createEventTally())]));
const publisherAuditMembers: { readonly [Name in keyof PublisherAudit]: OutputShape } = {
  ...totalMembers,
  publisher: end,
  balanced: end,
  books: membersOf(["revenueInr", "paidInr", "pendingInr"]),
};
const audit: {
  readonly [Name in Exclude<keyof Audit, "assertNothingLostOrDoubled">]: OutputShape;
} = {
  at: end,
  balanced: end,
  discrepancies: { kind: "list", element: end },
  total: { kind: "members", members: totalMembers },
  publishers: { kind: "list", element: { kind: "members", members: publisherAuditMembers } },
  withoutKey: { kind: "members", members: totalMembers },
};

/** The report that each expectation key asks for. */
export const reports: Readonly<Record<"stats" | "surfaces" | "payouts" | "audit", OutputShape>> = {
  stats: shapeOf(lenientSchemas.stats),
  surfaces: shapeOf(lenientSchemas.surfaces),
  payouts: shapeOf(lenientSchemas.payouts),
  audit: { kind: "members", members: audit },
};

const shapes: { readonly [Kind in StepKind]: OutputShape | undefined } = {
  impression: answerOf(lenientSchemas.impression),
  click: answerOf(lenientSchemas.click),
  stats: answerOf(lenientSchemas.stats),
  surfaces: answerOf(lenientSchemas.surfaces),
  payouts: answerOf(lenientSchemas.payouts),
  raw: anything,
  traffic: tally,
  repeat: tally,
  parallel: tally,
  signUp: publisher,
  rotateKey: membersOf(["apiKey", "oldKey"]),
  advance: undefined,
  assume: undefined,
  fault: undefined,
  heal: undefined,
  setSurface: undefined,
  expect: undefined,
};

/** The output of steps of this kind; undefined if there is none. */
export function outputOf(kind: StepKind): OutputShape | undefined {
  return shapes[kind];
}

function membersOf(
  names: readonly string[],
  others: Readonly<Record<string, OutputShape>> = {},
): OutputShape {
  const members = { ...Object.fromEntries(names.map((name) => [name, end])), ...others };
  return { kind: "members", members };
}

/** The members of a sample, which must have all possible members. */
function membersLike<Sample extends object>(
  sample: Sample,
): { readonly [Name in keyof Sample]: OutputShape } {
  const members = Object.entries(sample).map(([name, value]) => [
    name,
    typeof value === "object" ? { kind: "members", members: membersLike(value) } : end,
  ]);
  return Object.fromEntries(members) as { readonly [Name in keyof Sample]: OutputShape };
}

function answerOf(schema: JsonSchema): OutputShape {
  const shape = shapeOf(schema);
  if (shape.kind !== "members") return shape;
  const errors = Object.fromEntries(errorMembers.map((name) => [name, anything]));
  return { kind: "members", members: { ...errors, ...shape.members } };
}

/** The contract's schemas describe an object (`properties`), a list (`items`) or a plain value. */
function shapeOf(schema: JsonSchema): OutputShape {
  const { properties, items } = schema as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly items?: JsonSchema;
  };
  if (properties !== undefined) {
    const members = Object.entries(properties).map(([name, one]) => [name, shapeOf(one)]);
    return { kind: "members", members: Object.fromEntries(members) };
  }
  return items === undefined ? end : { kind: "list", element: shapeOf(items) };
}
