/** What of the past an answer can depend on: publishers don't influence each other (invariant A1), with a few exceptions. */

import { headerOf } from "../exchange/headers.ts";
import type { HistoryStep, Script } from "../simulator/moment.ts";
import type { Readings } from "../simulator/simulator-options.ts";
import type { RequestParts } from "../spec/messages.ts";
import type { Asked } from "./answer.ts";

/** The choices that were made by hand. */
export function assumedIn(steps: readonly HistoryStep[]): readonly Readings[] {
  const assumed: Readings[] = [];
  for (const step of steps) {
    if (step.kind === "change" && step.noted.change.kind === "assume")
      assumed.push(step.noted.change.assumptions);
  }
  return assumed;
}

/** The steps that may have influenced the answer. Changes by hand always count. */
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
function sharesState({ from, steps }: Script): boolean {
  const { state, rules } = from.copy;
  const assumed = assumedIn(steps);
  const added = steps.flatMap((step) =>
    step.kind === "change" && step.noted.change.kind === "fault" ? [step.noted.change.rule] : [],
  );
  const matches = [
    ...rules.list(state.clock.now).map(({ match }) => match),
    ...added.map((rule) => (typeof rule === "function" ? undefined : rule.match)),
  ];
  return (
    [state.assumptions, ...assumed].some((one) => one["auth.key-scope"] === "any") ||
    assumed.some((one) => one["ids.format"] !== undefined) ||
    matches.some((match) => match?.per === "world")
  );
}

/** Whether the request may carry a valid key that wasn't accepted or wasn't looked at. */
function mayHaveKey({ headers }: RequestParts, { exchange }: Asked): boolean {
  const authorization = headerOf(headers, "authorization");
  if (authorization === undefined) return false;
  return exchange.reason !== "unauthorized" || !authorization.startsWith("Bearer ");
}
