/** What references in a scenario can name: earlier steps, parts of their outputs, publishers. */

import { didYouMean, formatList } from "../../base/did-you-mean.ts";
import { InputError } from "../../base/input.ts";
import { type OperationId, operationIds } from "../../spec/operations.ts";
import { lenientSchemas } from "../../spec/responses.ts";
import { createTally } from "../measure/tally.ts";
import { isRequest, kindOf, type StepKind } from "./step-kind.ts";
import type { PublisherRef, Step } from "./types.ts";

/** What is known of the steps before. */
export type Scope = ReturnType<typeof createScope>;

export function createScope(publishers: number, maxSteps: number) {
  return {
    ...{ publishers, maxSteps },
    /** Kinds of earlier steps by their names. */
    names: new Map<string, StepKind>(),
    steps: 0,
    hasAnswer: false,
    /** How deep the value that is being checked is nested. */
    depth: 0,
  };
}

/** The members of reports, by the key that asks for each. */
export const reports = {
  stats: membersOf("stats"),
  surfaces: membersOf("surfaces"),
  payouts: membersOf("payouts"),
  audit: ["at", "balanced", "discrepancies", "total", "publishers", "withoutKey"],
} as const satisfies Readonly<Record<string, readonly string[]>>;
/** The members of the output of traffic, repeat and parallel. */
export const tallyMembers: readonly string[] = Object.keys(createTally().summary());
const publisherMembers = ["id", "apiKey", "joined", "surfaces"];
/** Members of error bodies under any choice of `errors.body`, since steps also match error answers. */
const errorMembers = ["type", "title", "status", "detail", "code", "parameter", "error", "errors"];

/** The members of what steps output; undefined if it may have any. */
const outputs = new Map<StepKind, readonly string[] | undefined>([
  ...operationIds.map((id) => [id, [...membersOf(id), ...errorMembers]] as const),
  ["raw", undefined],
  ["traffic", tallyMembers],
  ["repeat", tallyMembers],
  ["parallel", tallyMembers],
  ["signUp", publisherMembers],
  ["rotateKey", ["apiKey", "oldKey"]],
]);

function membersOf(id: OperationId): readonly string[] {
  return Object.keys(Object(lenientSchemas[id].properties));
}

/** Notes a checked step, to which later ones may refer. */
export function noteStep(step: Step, scope: Scope): void {
  const { names, maxSteps } = scope;
  scope.steps += 1;
  if (scope.steps > maxSteps)
    throw new InputError("", `is one step too many: a scenario may have at most ${maxSteps}`);
  const kind = kindOf(step);
  if (isRequest(kind)) scope.hasAnswer = true;
  if (step.as === undefined) return;
  if (names.has(step.as))
    throw new InputError("as", "is already the name of an earlier step. Choose another");
  names.set(step.as, kind);
}

export function checkAnswer(name: string, scope: Scope): void {
  kindNamed(name, scope, isRequest, "a request");
}

export function checkPublisher(ref: PublisherRef, scope: Scope): void {
  if (typeof ref === "string") kindNamed(ref, scope, (kind) => kind === "signUp", "a signUp step");
  else checkOrdinal(ref, scope);
}

/** Checks a path up to its first member. Returns the members of a whole output, if they are known. */
export function membersAt(text: string, scope: Scope): readonly string[] | undefined {
  const [name = "", ...path] = text.split(".");
  let members: readonly string[] | undefined = publisherMembers;
  if (name === "publishers") {
    const ordinal = path.shift() ?? "";
    if (!/^\d{1,9}$/.test(ordinal))
      throw new InputError("", "needs a number after publishers, such as publishers.0");
    checkOrdinal(Number(ordinal), scope);
  } else {
    const hasOutput = (kind: StepKind): boolean => outputs.has(kind);
    members = outputs.get(kindNamed(name, scope, hasOutput, "a step with an output"));
  }
  const [member] = path;
  if (member === undefined || members === undefined) return members;
  if (members.includes(member)) return undefined;
  const hint = didYouMean(member, members) || ` Members: ${formatList(members)}`;
  throw new InputError("", `does not resolve: ${name} has no such member.${hint}`);
}

/** The ordinals of the publishers that a scenario names. */
export function ordinalsIn(data: unknown, isContent = false): readonly number[] {
  if (typeof data !== "object" || data === null) return [];
  return Object.entries(data).flatMap(([name, part]) => {
    // In a body and in a matcher a number means itself.
    const isNamed = name === "publisher" || (name === "publishers" && Array.isArray(part));
    if (isNamed && !isContent) return [part].flat().filter((one) => typeof one === "number");
    const ordinal = /^(?:ref|of)$/.test(name) && /^publishers\.(\d+)/.exec(`${part}`)?.[1];
    if (ordinal) return [Number(ordinal)];
    return ordinalsIn(part, isContent || name === "body" || name === "is");
  });
}

/** The kind of the earlier step with this name. `what`: which steps fit here. */
function kindNamed(
  name: string,
  { names }: Scope,
  isFitting: (kind: StepKind) => boolean,
  what: string,
): StepKind {
  const kind = names.get(name);
  if (kind !== undefined && isFitting(kind)) return kind;
  const known = Array.from(names).flatMap(([one, its]) => (isFitting(its) ? [one] : []));
  const others = known.length === 0 ? " None comes before" : ` Names: ${formatList(known)}`;
  const hint = didYouMean(name, known) || others;
  throw new InputError("", `must begin with the name ("as") of ${what} before this.${hint}`);
}

function checkOrdinal(ordinal: number, { publishers }: Scope): void {
  if (ordinal < publishers) return;
  const range = `the scenario has ${publishers}, from 0 to ${publishers - 1}`;
  throw new InputError("", `names a publisher that doesn't exist: ${range}`);
}
