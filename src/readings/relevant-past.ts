/** What of the past an answer can depend on: publishers don't influence each other (invariant A1), with a few exceptions. */

import { headerOf } from "../exchange/headers.ts";
import type { FaultRule } from "../faults/rule.ts";
import type { HistoryStep, SavedCopy, Script } from "../simulator/moment.ts";
import type { Readings } from "../simulator/simulator-options.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import type { RequestParts } from "../spec/messages.ts";
import { operations } from "../spec/operations.ts";
import { createIds } from "../world/publishers/ids.ts";
import type { Asked } from "./answer.ts";

const { impression, click } = operations;

/** The choices that were made by hand. */
export function assumedIn(steps: readonly HistoryStep[]): readonly Readings[] {
  const assumed: Readings[] = [];
  for (const step of steps) {
    if (step.kind === "change" && step.noted.change.kind === "assume")
      assumed.push(step.noted.change.assumptions);
  }
  return assumed;
}

/**
 * The steps that may have influenced the answer under any choice. An impression or a click doesn't depend on what was read
 * before: reports have a limit of their own. But a rule may count all requests.
 */
export function influentialSteps(script: Script, { method, path }: RequestParts): Script["steps"] {
  const isEvent = method === "POST" && (path === impression.path || path === click.path);
  if (!isEvent || matchesIn(script).length > 0) return script.steps;
  return script.steps.filter((step) => {
    const id = step.kind === "request" ? step.record.operation : undefined;
    return id === undefined || operations[id].method !== "GET";
  });
}

/** Leaves out of a script what can't have influenced the answer. */
export type Narrowing = (script: Script) => Script;

const wholeScript: Narrowing = (script) => script;

/**
 * What may have influenced the answer while keys are bound to publishers. Changes by hand always count. Other publishers'
 * accounts are left out as well: copying thousands of them for each reading takes seconds.
 */
export function narrowingFor(script: Script, request: RequestParts, asked: Asked): Narrowing {
  if (sharesState(script)) return wholeScript;
  const { publisher } = asked.exchange;
  if (publisher === undefined && mayHaveKey(request, asked)) return wholeScript;
  // A request without a valid key may have one under another choice, and rules number such requests together.
  const isRelevant = (step: HistoryStep): boolean => {
    if (step.kind === "change") return true;
    const of = step.record.publisher;
    return of === undefined || of === publisher;
  };
  return ({ from, steps, ...rest }) => ({
    ...rest,
    from: { ...from, copy: ownCopy(from.copy, publisher) },
    steps: steps.filter(isRelevant),
  });
}

/** With this publisher's account, and those that aren't as the seed makes them: sign-ups, other keys, other surfaces. */
function ownCopy(copy: SavedCopy, publisher: string | undefined): SavedCopy {
  const { seed, assumptions, accounts } = copy.state;
  const { publisher: codec } = createIds(seed, resolveAssumptions(assumptions));
  const own = publisher === undefined ? undefined : codec.decode(publisher)?.publisher;
  const isKept = ({ ordinal, keySerial, person, surfaces }: (typeof accounts)[number]): boolean =>
    ordinal === own ||
    keySerial > 0 ||
    person !== undefined ||
    surfaces.some(({ statusBy }) => statusBy !== undefined);
  return { ...copy, state: { ...copy.state, accounts: accounts.filter(isKept) } };
}

/** Whether a publisher's requests may have influenced another's, or aren't recognised as one publisher's. */
function sharesState(script: Script): boolean {
  const assumed = assumedIn(script.steps);
  return (
    [script.from.copy.state.assumptions, ...assumed].some(
      (one) => one["auth.key-scope"] === "any",
    ) ||
    assumed.some((one) => one["ids.format"] !== undefined) ||
    matchesIn(script).some((match) => match?.per === "world")
  );
}

/** What each rule matches that was there at some time; undefined for a function. */
function matchesIn({ from, steps }: Script): readonly FaultRule["match"][] {
  const { state, rules } = from.copy;
  const added = steps.flatMap((step) =>
    step.kind === "change" && step.noted.change.kind === "fault" ? [step.noted.change.rule] : [],
  );
  return [
    ...rules.list(state.clock.now).map(({ match }) => match),
    ...added.map((rule) => (typeof rule === "function" ? undefined : rule.match)),
  ];
}

/** Whether the request may carry a valid key that wasn't accepted or wasn't looked at. */
function mayHaveKey({ headers }: RequestParts, { exchange }: Asked): boolean {
  const authorization = headerOf(headers, "authorization");
  if (authorization === undefined) return false;
  return exchange.reason !== "unauthorized" || !authorization.startsWith("Bearer ");
}
