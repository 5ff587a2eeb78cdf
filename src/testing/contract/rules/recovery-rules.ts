/** How a client recovers once an outage is over (spec §1). */

import fc from "fast-check";
import { durationInWords, HOUR_MS, MINUTE_MS } from "../../../base/duration.ts";
import type { Verdict } from "../../../faults/verdict.ts";
import { type Command, queryKinds } from "../../session/command.ts";
import { performedCommandsOfKind } from "../../session/performed-commands.ts";
import type { Session } from "../../session/session.ts";
import { commandInWords, outcomeInWords } from "../../session/words.ts";
import {
  advance,
  failed,
  fault,
  heal,
  lasting,
  limitedFor,
  lost,
  next,
  silence,
  unreadable,
} from "./disturbances.ts";
import { must, type Rule } from "./rule.ts";
import {
  adView,
  burst,
  event,
  flush,
  inTurn,
  pausesOf,
  query,
  sequence,
  stats,
  togetherAll,
  weightedOneOf,
} from "./sequences.ts";
import { mustRecordShown } from "./shared-checks.ts";

/** A query fails a few times, mostly with long pauses between. Some time after the outage it is made once more. */
const queriesInOutage: fc.Arbitrary<readonly Command[]> = fc
  .tuple(
    fault(lost, fc.constantFrom({}, { operation: queryKinds })),
    query,
    pausesOf(HOUR_MS, HOUR_MS, 1000),
    // Pauses that double without end reach an hour after about eight calls.
    fc.constantFrom(0, 1, 3, 9, 9, 9),
    pausesOf(20 * MINUTE_MS, 20 * MINUTE_MS, HOUR_MS),
  )
  .map(([outage, ask, pause, repeats, recovery]) => [
    outage,
    ask,
    ...Array.from({ length: repeats }, () => [pause, ask]).flat(),
    { kind: "heal" },
    recovery,
    ask,
  ]);

/** A day in which all requests fail: pauses that grow without end are hours long by then. */
const longDown: fc.Arbitrary<readonly Command[]> = inTurn(
  fault(failed, lasting),
  ...[adView, adView, flush],
  ...Array.from({ length: 5 }, () => inTurn(advance(14_400, 18_000), adView)),
  heal,
  advance(7200, 9000),
  adView,
);

const shortOutage: fc.Arbitrary<readonly Command[]> = sequence(
  [fault(lost, lasting), adView, flush, heal, advance(600, 900), adView],
  event,
  3,
);

const refused: fc.Arbitrary<Verdict> = fc.constantFrom(
  { kind: "respond", status: 400 },
  { kind: "respond", status: 422 },
);
const anyTrouble: fc.Arbitrary<Verdict> = weightedOneOf(
  [4, limitedFor(5)],
  [3, refused],
  [1, unreadable],
  [1, fc.oneof(silence, failed)],
);

/** The first request after an outage meets other trouble. A client that sends it as a probe has to probe again. */
const troubledProbe: fc.Arbitrary<readonly Command[]> = inTurn(
  fault(lost, fc.constant({})),
  ...[adView, adView, adView, query, advance(600, 700), heal],
  fault(anyTrouble, fc.constant({ times: 1 })),
  fc.oneof(adView, query, togetherAll(adView, stats)),
  heal,
  advance(1200, 1800),
  ...[adView, stats],
);

/** Many calls at once meet trouble. None of them may keep its place among the requests that the client sends at once. */
const troubledBurst: fc.Arbitrary<readonly Command[]> = inTurn(
  fault(anyTrouble, next("impression", 30)),
  burst(adView),
  heal,
  advance(1200, 1800),
  ...[adView, stats],
);

const comesBack: Rule = {
  id: "comes-back",
  says: "After an outage events are recorded again, and queries are answered again",
  source: "spec §1",
  needsVirtualTime: true,
  commands: () =>
    fc.oneof(
      // Most defects show in a short sequence, too.
      { withCrossShrink: true },
      { weight: 5, arbitrary: shortOutage },
      { weight: 3, arbitrary: queriesInOutage },
      { weight: 2, arbitrary: longDown },
      { weight: 3, arbitrary: troubledProbe },
      { weight: 3, arbitrary: troubledBurst },
    ),
  judge(session) {
    const healed = session.steps.findLastIndex(({ command }) => command.kind === "heal");
    const back = session.steps.findIndex(
      ({ command }, at) => at > healed && command.kind === "advance",
    );
    const later = session.steps.slice(back).some(({ command }) => command.kind === "fault");
    if (healed < 0 || back < 0 || later) return 0;
    const answered = mustAnswerAfter(session, session.steps[healed]?.endMs ?? 0);
    return (
      answered +
      mustRecordShown(
        session,
        ({ at }) => at > back,
        (name) =>
          `The outage ended 10 minutes or more before ${name} was shown, but the service has no record of it.`,
      )
    );
  },
};

/**
 * Queries must succeed once the outage has been over for as long as a call may take. Skipped in real time: there a pause
 * doesn't move the machine's clock, so a client can't know that it has passed.
 *
 * @throws BrokenRule
 * @returns how many such queries there were.
 */
function mustAnswerAfter(session: Session, healedMs: number): number {
  if (session.sim.clock.mode !== "frozen") return 0;
  const sinceMs = healedMs + Math.max(10 * MINUTE_MS, session.promised.withinMs);
  const later = queryKinds
    .flatMap((kind) => performedCommandsOfKind(session, kind))
    .filter(({ atMs }) => atMs >= sinceMs);
  for (const { command, outcome, atMs, exchanges } of later) {
    must(
      outcome.kind === "done" || exchanges.some(({ got }) => got.status !== 200),
      () =>
        `The outage had been over for ${durationInWords(atMs - healedMs)} when the client was asked for ${commandInWords(command)}. It ${exchanges.length > 0 ? "got an answer" : "sent nothing"}, and ${outcomeInWords(outcome)}.`,
    );
  }
  return later.length;
}

export const recoveryRules: readonly Rule[] = [comesBack];
