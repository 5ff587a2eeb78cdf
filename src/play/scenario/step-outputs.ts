/** The shapes of step outputs, service reports and audits: which members they have and which paths lead into them. */

import type { AuditFigures } from "../../audit/audit.ts";
import { eventLinesOf, figuresWithoutAccount } from "../../audit/event-line.ts";
import { isPlainObject } from "../../base/input.ts";
import { operationIds } from "../../spec/operations.ts";
import { type JsonSchema, lenientSchemas } from "../../spec/responses.ts";
import { createTally as createEventTally } from "../../world/accounts/tally.ts";
import { createTally } from "../measure/tally.ts";
import type { StepKind } from "./step-kind.ts";

/** A plain value, an object, or a list. What is undefined may be anything. */
export type OutputShape =
  | "plain"
  /** `areNumbered`: other members have numbers as names, such as statuses. */
  | { readonly members: Members; readonly areNumbered?: boolean }
  | { readonly element: OutputShape | undefined };

type Members = Readonly<Record<string, OutputShape | undefined>>;

/** Members of error bodies under any choice of `errors.body`, since steps also match error answers. */
const errorMembers = ["type", "title", "status", "detail", "code", "parameter", "error", "errors"];

const publisher: OutputShape = shapeLike({
  ...{ id: "", apiKey: "", joined: "" },
  surfaces: [{ id: "", name: "", status: "", cpmRange: [0] }],
});
export const publisherList: OutputShape = { element: publisher };

/** The output of traffic, repeat and parallel. */
export const tally: OutputShape = {
  members: {
    ...membersLike(createTally().summary()),
    statuses: { members: {}, areNumbered: true },
    operations: shapeLike(Object.fromEntries(operationIds.map((id) => [id, { sent: 0, ok: 0 }]))),
  },
};

const figures = eventLinesOf([figuresWithoutAccount(createEventTally())]);
const books = { revenueInr: 0, paidInr: 0, pendingInr: 0 };
const audit: AuditFigures = {
  ...{ at: "", balanced: true, discrepancies: [""], total: figures, withoutKey: figures },
  publishers: [{ publisher: "", balanced: true, books, ...figures }],
};

/** The report that each expectation key asks for. */
export const reports: Readonly<Record<"stats" | "surfaces" | "payouts" | "audit", OutputShape>> = {
  stats: shapeOf(lenientSchemas.stats),
  surfaces: shapeOf(lenientSchemas.surfaces),
  payouts: shapeOf(lenientSchemas.payouts),
  audit: shapeLike(audit),
};

const errors = Object.fromEntries(errorMembers.map((name) => [name, undefined]));

/** The outputs of the kinds of steps that have one. */
export const outputs: ReadonlyMap<StepKind, OutputShape | undefined> = new Map<
  StepKind,
  OutputShape | undefined
>([
  ...operationIds.map(
    (id) => [id, { members: { ...errors, ...membersIn(lenientSchemas[id]) } }] as const,
  ),
  ["raw", undefined],
  ["traffic", tally],
  ["repeat", tally],
  ["parallel", tally],
  ["signUp", publisher],
  ["rotateKey", shapeLike({ apiKey: "", oldKey: "" })],
]);

/** What a matcher is compared with at this member of another, which may be a rule. */
export function shapeWithin(shape: OutputShape, name: string): OutputShape | undefined {
  if (name === "not") return shape;
  if (name === "oneOf") return { element: shape };
  if (shape === "plain") return undefined;
  if ("element" in shape) return ["", "every", "some"].includes(name) ? shape.element : undefined;
  if (shape.areNumbered) return "plain";
  return Object.hasOwn(shape.members, name) ? shape.members[name] : undefined;
}

/** The shape of an example, which must have all possible members. */
function shapeLike(example: unknown): OutputShape {
  if (Array.isArray(example)) return { element: shapeLike(example[0]) };
  return isPlainObject(example) ? { members: membersLike(example) } : "plain";
}

function membersLike(example: object): Members {
  return Object.fromEntries(Object.entries(example).map(([name, one]) => [name, shapeLike(one)]));
}

/** The contract's schemas describe an object (`properties`), a list (`items`) or a plain value. */
function shapeOf(schema: JsonSchema): OutputShape {
  if ("properties" in schema) return { members: membersIn(schema) };
  return "items" in schema ? { element: shapeOf(schema.items as JsonSchema) } : "plain";
}

function membersIn({ properties = {} }: JsonSchema): Members {
  const members = Object.entries(properties as Readonly<Record<string, JsonSchema>>);
  return Object.fromEntries(members.map(([name, one]) => [name, shapeOf(one)]));
}
