/** What of the past an answer can depend on: publishers don't influence each other (invariant A1), with a few exceptions. */

import { headerOf } from "../exchange/headers.ts";
import type { FaultRule } from "../faults/rule.ts";
import type { HistoryStep, Script } from "../simulator/moment.ts";
import type { Readings } from "../simulator/simulator-options.ts";
import type { RequestParts } from "../spec/messages.ts";
import { operations } from "../spec/operations.ts";
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

/** The steps that may have influenced the answer while keys are bound to publishers. Changes by hand always count. */
export function relevantSteps(
  script: Script,
  request: RequestParts,
  asked: Asked,
): readonly HistoryStep[] {
  if (sharesState(script)) return script.steps;
  const { publisher } = asked.exchange;
  if (publisher === undefined && mayHaveKey(request, asked)) return script.steps;
  // A request without a valid key may have one under another choice, and rules number such requests together.
  return script.steps.filter((step) => {
    if (step.kind === "change") return true;
    const of = step.record.publisher;
    return of === undefined || of === publisher;
  });
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
