/** What a step gives to those after it, by its kind, and which paths lead into that. */

import { operationIds } from "../../../spec/operations.ts";
import { type JsonSchema, membersOfAnswers } from "../../../spec/responses.ts";
import type { TallySummary } from "../../measure/tally.ts";
import type { StepKind } from "../step-kind.ts";

/** What a path leads through: members by name, a list's elements by place, or an end. `anything`: nobody knows. */
export type Tree =
  | { readonly kind: "end" }
  | { readonly kind: "anything" }
  | { readonly kind: "members"; readonly members: Readonly<Record<string, Tree>> }
  | { readonly kind: "list"; readonly element: Tree };

const end: Tree = { kind: "end" };
const anything: Tree = { kind: "anything" };

/** What errors may hold, by the readings of errors.body: a step may well look at one. */
const ofErrors = ["type", "title", "status", "detail", "code", "parameter", "error", "errors"];

const surface: Tree = membersOf(["id", "name", "status"], {
  cpmRange: { kind: "list", element: end },
});
const publisher: Tree = membersOf(["id", "apiKey", "joined"], {
  surfaces: { kind: "list", element: surface },
});
export const publisherList: Tree = { kind: "list", element: publisher };

const tallied: { readonly [Name in keyof TallySummary]: Tree } = {
  sent: end,
  ok: end,
  refused: end,
  failed: end,
  cut: end,
  lost: end,
  timedOut: end,
  late: end,
  dropped: end,
  statuses: { kind: "list", element: end },
  creditedInr: end,
  differentIds: end,
  operations: membersOf(
    [],
    Object.fromEntries(operationIds.map((id) => [id, membersOf(["sent", "ok"])])),
  ),
};
const tally: Tree = { kind: "members", members: tallied };

const trees: { readonly [Kind in StepKind]: Tree | undefined } = {
  impression: answerOf(membersOfAnswers.impression),
  click: answerOf(membersOfAnswers.click),
  stats: answerOf(membersOfAnswers.stats),
  surfaces: answerOf(membersOfAnswers.surfaces),
  payouts: answerOf(membersOfAnswers.payouts),
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

/** What a named step of this kind gives; undefined where it gives nothing. */
export function givenBy(kind: StepKind): Tree | undefined {
  return trees[kind];
}

function membersOf(names: readonly string[], others: Readonly<Record<string, Tree>> = {}): Tree {
  const members = { ...Object.fromEntries(names.map((name) => [name, end])), ...others };
  return { kind: "members", members };
}

function answerOf(schema: JsonSchema): Tree {
  const tree = treeOf(schema);
  if (tree.kind !== "members") return tree;
  const errors = Object.fromEntries(ofErrors.map((name) => [name, anything]));
  return { kind: "members", members: { ...errors, ...tree.members } };
}

/** The contract's schemas have properties, or items, or are of plain values. */
function treeOf(schema: JsonSchema): Tree {
  const { properties, items } = schema as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly items?: JsonSchema;
  };
  if (properties !== undefined) {
    const members = Object.entries(properties).map(([name, one]) => [name, treeOf(one)]);
    return { kind: "members", members: Object.fromEntries(members) };
  }
  return items === undefined ? end : { kind: "list", element: treeOf(items) };
}
