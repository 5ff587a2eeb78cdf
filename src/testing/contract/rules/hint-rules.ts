/** What a client does with a Retry-After that doesn't say when to come back. */

import type fc from "fast-check";
import type { Command } from "../../session/command.ts";
import type { Session } from "../../session/session.ts";
import { isAcknowledged, queriesOf, type SentRequest, sentBy } from "../../session/tasks.ts";
import { outcomeInWords } from "../../session/words.ts";
import { advance, fault, next, OVER_MS, refusedWithUselessHint } from "./disturbances.ts";
import { must, type Rule } from "./rule.ts";
import { adView, event, flush, query, sequence, stats, weightedOneOf } from "./sequences.ts";
import {
  mustEnd,
  mustHaveNoFinding,
  mustNotLoseSilently,
  mustRecordShown,
} from "./shared-checks.ts";

const refusedOnce: fc.Arbitrary<readonly Command[]> = weightedOneOf(
  [
    2,
    sequence(
      [
        fault(refusedWithUselessHint, next("impression", 1)),
        adView,
        flush,
        advance(300, 600),
        adView,
      ],
      event,
      2,
    ),
  ],
  [
    1,
    sequence(
      [fault(refusedWithUselessHint, next("stats", 1)), stats, advance(300, 600), stats],
      query,
      1,
    ),
  ],
);

const uselessHint: Rule = {
  id: "useless-retry-after",
  says: "A Retry-After that can't be read, or that names a time in the past, doesn't hold a client up: its calls end, and it sends what it is asked later; after one that can't be read it pauses before it tries again",
  source: "spec §8, RFC 9110 §10.2.3",
  commands: () => refusedOnce,
  judge(session) {
    const refused = sentBy(session).findLast(({ fault: by }) => by?.kind === "respond");
    if (refused === undefined) return 0;
    mustEnd(session);
    mustNotLoseSilently(session);
    if (!sentBy(session).some(mayInvite)) mustHaveNoFinding(session, "hot-loop");
    const later = { step: refused.stepIndex, atMs: refused.atMs + OVER_MS };
    const hint = JSON.stringify(refused.got.headers["retry-after"] ?? "");
    const recorded = mustRecordShown(
      session,
      ({ at, atMs }) => at > later.step && atMs >= later.atMs,
      (name) =>
        `A refusal had the Retry-After ${hint}, which doesn't say when to come back. More than two minutes later the client was given ${name}, but the service has no record of it.`,
    );
    return recorded + mustAskAgain(session, later, hint);
  },
};

/** Whether a client can take the hint for a time that is over, so that it may come back at once. */
function mayInvite({ got }: SentRequest): boolean {
  const hint = got.headers["retry-after"];
  return hint !== undefined && !(Number.isNaN(Number(hint)) && Number.isNaN(Date.parse(hint)));
}

/** Queries that are made later must be answered, unless the service refuses something meanwhile. */
function mustAskAgain(
  session: Session,
  { step, atMs }: { readonly step: number; readonly atMs: number },
  hint: string,
): number {
  const sent = sentBy(session).filter(({ stepIndex }) => stepIndex > step);
  if (!sent.every(isAcknowledged)) return 0;
  const later = queriesOf(session).flatMap(({ asks }) =>
    asks.filter((ask) => ask.at > step && ask.atMs >= atMs),
  );
  for (const { command, outcome } of later) {
    must(
      outcome.kind === "done",
      () =>
        `A refusal had the Retry-After ${hint}, which doesn't say when to come back. More than two minutes later the service worked, but ${command.kind} failed: ${outcomeInWords(outcome)}.`,
    );
  }
  return later.length;
}

export const hintRules: readonly Rule[] = [uselessHint];
