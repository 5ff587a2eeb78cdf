/** What a client makes of answers that are valid JSON, but not what the spec describes (spec §2, §4). */

import fc from "fast-check";
import { jsonIn, memberOf } from "../../../base/parse-json.ts";
import type { Verdict } from "../../../faults/verdict.ts";
import type { OperationId } from "../../../spec/operations.ts";
import { lenientSchemas } from "../../../spec/responses.ts";
import { sequenceOf } from "../../arbitraries/sequence.ts";
import { type Command, type QueryKind, queryKinds } from "../../session/command.ts";
import {
  type PerformedCommand,
  performedCommandsOfKind,
} from "../../session/performed-commands.ts";
import type { Outcome, Session } from "../../session/session.ts";
import { eventsOf } from "../../session/tasks.ts";
import type { WireExchange } from "../../session/wire-exchange.ts";
import { outcomeInWords } from "../../session/words.ts";
import { isAnswerTo } from "./answers-to.ts";
import { difference, mustMatchReceipts } from "./compare-answers.ts";
import { fault, misshapen, next, unconfirmed, wrongCredit } from "./disturbances.ts";
import { mustReportStatuses } from "./refusal-rules.ts";
import { isWrongSuccess, mismatchOf, rightAnswersIn } from "./right-answers.ts";
import { must, type Rule } from "./rule.ts";
import {
  adView,
  click,
  flush,
  inTurn,
  pausesOf,
  payouts,
  stats,
  surfaces,
  weightedOneOf,
} from "./sequences.ts";
import { mustNotLoseSilently } from "./shared-checks.ts";

/** Up to three wrong answers to this operation, mostly with right ones after them; then the commands. */
function trial(
  operation: OperationId,
  verdicts: fc.Arbitrary<Verdict>,
  ...commands: readonly fc.Arbitrary<Command>[]
): fc.Arbitrary<readonly Command[]> {
  const wrong = fault(verdicts, weightedOneOf([8, next(operation, 1)], [1, next(operation)]));
  return inTurn(sequenceOf(wrong, { minLength: 1, maxLength: 3 }), ...commands);
}

/** Several wrong answers to this query, since a client may try again by itself. Later the query may be repeated. */
function readTrial(
  operation: QueryKind,
  query: fc.Arbitrary<Command>,
): fc.Arbitrary<readonly Command[]> {
  const wrong = fault(fc.constantFrom(...misshapen[operation]), next(operation, 1));
  return fc
    .tuple(
      sequenceOf(wrong, { minLength: 1, maxLength: 6 }),
      query,
      sequenceOf(later, { minLength: 0, maxLength: 2 }),
    )
    .map(([faults, ask, pauses]) => [...faults, ask, ...pauses.flatMap((pause) => [pause, ask])]);
}

/** Longer than figures may be kept by default, or less than most clients keep them. */
const later = pausesOf(61_000, 1000);

const trials: fc.Arbitrary<readonly Command[]> = weightedOneOf<(readonly Command[])[]>(
  [3, trial("impression", unconfirmed, adView)],
  [4, trial("click", unconfirmed, adView, click, adView, click)],
  // After a right answer, which shows whether the client returns credits.
  [2, inTurn(adView, trial("impression", wrongCredit, adView))],
  [2, inTurn(adView, click, adView, trial("click", wrongCredit, click, click))],
  [4, readTrial("stats", stats)],
  [2, readTrial("surfaces", surfaces)],
  [2, readTrial("payouts", payouts)],
  [1, fc.tuple(flush)],
);

const wrongAnswerIsNoSuccess: Rule = {
  id: "wrong-answer-is-no-success",
  says: "An answer that isn't what the spec describes confirms nothing, even if it is valid JSON",
  source: "spec §2, §4",
  commands: () => sequenceOf(trials, { minLength: 1, maxLength: 4 }).map((parts) => parts.flat()),
  judge(session) {
    const met = eventsOf(session).filter(({ sent }) => sent.some(isWrongSuccess)).length;
    mustNotLoseSilently(session);
    mustMatchReceipts(session);
    mustNotReturnWithoutCredit(session);
    mustReportStatuses(session);
    return met + mustNotReturnWrongAnswers(session);
  },
};

/**
 * A client that returns credits must not return an event without one because the answer had none. Whether a client reads
 * credits at all is up to it.
 *
 * @throws BrokenRule
 */
function mustNotReturnWithoutCredit(session: Session): void {
  const events = eventsOf(session);
  for (const { operation, asks, sent } of events) {
    const wrong = sent.at(-1);
    const isRead = events.some((one) => one.operation === operation && one.asks.some(hasCredit));
    if (wrong === undefined || !isRead || !sent.every(isWrongSuccess)) continue;
    const id = memberOf(jsonIn(wrong.got.body), `${operation}_id`);
    for (const { outcome } of asks.filter((ask) => !hasCredit(ask))) {
      const returned =
        outcome.kind === "done" ? memberOf(outcome.value, `${operation}_id`) : undefined;
      must(returned === undefined || returned !== id, () => returnedAnyway(wrong, outcome));
    }
  }
}

function hasCredit({ outcome }: PerformedCommand): boolean {
  return (
    outcome.kind === "done" && typeof memberOf(outcome.value, "revenue_credited_inr") === "number"
  );
}

function returnedAnyway(wrong: WireExchange, outcome: Outcome): string {
  return `The answer to ${wrong.operation} was wrong: ${mismatchOf(wrong, wrong.got)}. Instead of an error, ${outcomeInWords(outcome)}.`;
}

/**
 * If an answer isn't what the spec describes, the client must not return it, nor what it made of it: only what a right
 * answer says.
 *
 * @returns how many queries met such an answer.
 * @throws BrokenRule
 */
function mustNotReturnWrongAnswers(session: Session): number {
  let met = 0;
  for (const asked of queryKinds.flatMap((kind) => performedCommandsOfKind(session, kind))) {
    const { command, outcome, exchanges } = asked;
    // The client may have kept an answer from before.
    const known = session.steps
      .slice(0, asked.at + 1)
      .flatMap((step) => step.exchanges)
      .filter(({ operation }) => operation === command.kind)
      .filter((one) => exchanges.includes(one) || isAnswerTo(one, asked, session));
    const wrong = known.findLast(isWrongSuccess);
    if (wrong === undefined) continue;
    met += 1;
    if (outcome.kind !== "done") continue;
    const { value } = outcome;
    const isRight = known
      .flatMap(rightAnswersIn)
      .some((right) => difference(lenientSchemas[command.kind], right, value) === undefined);
    must(isRight, () => returnedAnyway(wrong, outcome));
  }
  return met;
}

export const wrongAnswerRules: readonly Rule[] = [wrongAnswerIsNoSuccess];
