/** How a client repeats failed requests, so that in the end everything counts and nothing counts twice. */

import fc from "fast-check";
import type { FaultMatch } from "../../../faults/rule.ts";
import { sequenceOf } from "../../arbitraries/sequence.ts";
import { type Command, queryKinds } from "../../session/command.ts";
import { escapedText } from "../../session/names.ts";
import { requestBudget } from "../../session/outcomes.ts";
import {
  eventsOf,
  isAcknowledged,
  isOfLimit,
  queriesOf,
  type SentRequest,
} from "../../session/tasks.ts";
import { mustMatchReceipts } from "./compare-answers.ts";
import {
  advance,
  broken,
  doubtful,
  failed,
  fault,
  heal,
  lasting,
  lost,
  next,
  processed,
  silence,
  some,
} from "./disturbances.ts";
import { isInDoubt, mustNotDouble } from "./double-counting.ts";
import { must, neverRepeats, type Rule } from "./rule.ts";
import {
  adAgain,
  adView,
  anyAdView,
  anyEvent,
  click,
  event,
  flush,
  payouts,
  query,
  sequence,
  stats,
  surfaces,
  togetherAll,
  weightedOneOf,
} from "./sequences.ts";
import { mustEnd, mustHaveNoFinding, mustNotLoseSilently } from "./shared-checks.ts";
import { mustStartAnew } from "./start-anew.ts";

const ofClicks: fc.Arbitrary<FaultMatch> = fc.constantFrom(
  { operation: "click", times: 1 },
  { operation: "click" },
);
const noEventDoubled: Rule = {
  id: "no-event-doubled",
  says: "No impression and no click counts twice, whatever happens to the answer",
  source: "spec §4",
  // Under other choices of click.repeat repeated clicks don't count, so the rule couldn't fail.
  assuming: [{}, { "click.repeat": "count" }, { "dedup.key": "session" }],
  commands: ({ "click.repeat": repeat }) =>
    weightedOneOf(
      [
        repeat === "count" ? 1 : 3,
        sequence([fault(doubtful), adView], fc.oneof(event, event, adAgain, fault(doubtful))),
      ],
      // Clicks are rarer, and only a recorded view can be clicked.
      [
        repeat === "count" ? 4 : 1,
        sequence(
          [adView, fault(processed, ofClicks), click],
          fc.oneof(click, event, fault(processed)),
        ),
      ],
    ),
  judge: (session) => mustNotDouble(session, isInDoubt),
};

const lostRequestNotLost: Rule = {
  id: "lost-request-not-lost",
  says: "An event whose request was lost is recorded in the end, or reported as failed",
  source: "spec §1",
  commands: () => sequence([fault(lost), adView], fc.oneof(event, event, fault(lost))),
  judge(session) {
    mustNotLoseSilently(session);
    mustHaveNoFinding(session, "failed-and-never-sent-again");
    return eventsOf(session).filter(isInDoubt).length;
  },
};

const repeatIsTheSame: Rule = {
  id: "repeat-is-the-same",
  says: "An impression is sent again with the same parameters, including its session_id",
  source: "spec §4",
  // A conflict says that the event is on record.
  assuming: [{}, { "dedup.repeat": "conflict" }],
  whyNever: neverRepeats,
  commands: () =>
    sequence([fault(doubtful), anyAdView], fc.oneof(anyEvent, anyEvent, fault(doubtful))),
  judge(session) {
    let applied = 0;
    for (const { operation, name, sent, asks } of eventsOf(session)) {
      const [first, ...again] = sent;
      if (operation !== "impression" || first === undefined || asks.length !== 1) continue;
      for (const [at, next] of again.entries()) {
        const before = sent[at] ?? first;
        for (const parameter of ["publisher_id", "surface", "session_id"]) {
          const was = before.values.get(parameter);
          const is = next.values.get(parameter);
          must(
            was === is,
            () =>
              `The client sent ${name} again with ${parameter} ${escapedText(is)} instead of ${escapedText(was)}.`,
          );
        }
        must(
          !mayBeApplied(before) || next.values.has("session_id"),
          () =>
            `The client sent ${name} again without a session_id, so the service can't tell that it is the same impression.`,
        );
        applied += 1;
      }
    }
    mustHaveNoFinding(session, "event-in-two-sessions", "lost-and-sent-again-without-session");
    return applied;
  },
};

/** Whether the service may have processed it as far as the client knows: anything but a refusal. */
function mayBeApplied(sent: SentRequest): boolean {
  const { status } = sent.got;
  return status < 400 || (status >= 500 && !isOfLimit(sent));
}

/** Enough failing events, one after the other, that jitter can't hide a fixed pause. */
const longOutage: fc.Arbitrary<readonly Command[]> = fc
  .tuple(fault(failed, next("impression")), sequenceOf(adView, { minLength: 20, maxLength: 24 }))
  .map(([outage, shown]) => [
    outage,
    ...shown.flatMap((one): Command[] => [one, { kind: "flush" }]),
  ]);

/** An outage in which pauses grow, then three single failures, each after two successes. */
const hiccupsAfterOutage: fc.Arbitrary<readonly Command[]> = sequence(
  [
    fault(failed, lasting),
    // Few at a time, so that those at the end of a queue don't become too old to be sent.
    togetherAll(adView, adView, adView),
    flush,
    togetherAll(adView, adView, adView),
    flush,
    // A queue may go on for longer than a flush.
    advance(900, 1200),
    heal,
    advance(300, 900),
    fault(failed, fc.constant({ operation: "impression", nth: [3, 6, 9] })),
    ...Array.from({ length: 7 }, () => adView),
  ],
  flush,
  1,
);

const queryAfterFailure: fc.Arbitrary<readonly Command[]> = sequence(
  [fault(failed, fc.constant({ operation: queryKinds, times: 1 })), query],
  query,
  1,
);

const pausesGrow: Rule = {
  id: "pauses-grow",
  says: "A client waits before it repeats a request, longer each time; after a success it starts again with a short wait",
  source: "spec §8",
  needsVirtualTime: true,
  whyNever: neverRepeats,
  commands: () =>
    fc.oneof(
      // Most defects show in a short sequence, too.
      { withCrossShrink: true },
      {
        weight: 7,
        arbitrary: sequence([fault(failed, fc.oneof(lasting, some)), adView], event, 2),
      },
      { weight: 3, arbitrary: longOutage },
      { weight: 2, arbitrary: hiccupsAfterOutage },
      { weight: 1, arbitrary: queryAfterFailure },
    ),
  judge(session) {
    const retries = mustHaveNoFinding(session, "hot-loop", "pauses-do-not-grow");
    return retries + mustStartAnew(session);
  },
};

const givesUp: Rule = {
  id: "gives-up",
  says: `During an outage, a client finishes what it was asked within six hours and ${requestBudget}`,
  source: "spec §7",
  commands: () =>
    weightedOneOf(
      [4, sequence([fault(failed, lasting), adView], fc.oneof(event, advance(1, 300)), 3)],
      // Many clients have only a few queries under way at once. The others wait.
      [
        1,
        sequence(
          [
            fault(failed, fc.constantFrom({}, { operation: queryKinds })),
            togetherAll(stats, surfaces, payouts, stats),
          ],
          query,
          1,
        ),
      ],
    ),
  judge: (session) => mustEnd(session),
};

const silenceEnds: Rule = {
  id: "silence-ends",
  says: "A client finishes what it was asked even if the server never answers, or never ends its answer",
  source: "spec §7",
  needsVirtualTime: true,
  commands: () =>
    weightedOneOf(
      [
        3,
        sequence(
          [fault(silence, fc.oneof(lasting, some)), adView],
          // A queueing client waits for answers when it is flushed.
          weightedOneOf([3, event], [1, flush]),
          2,
        ),
      ],
      [1, sequence([fault(silence, fc.constant({})), query], query, 1)],
    ),
  judge: (session) => mustEnd(session),
};

const brokenAnswerIsNoSuccess: Rule = {
  id: "broken-answer-is-no-success",
  says: "An answer that is cut off or unreadable is not a success: nothing counts as done until the service confirms it",
  source: "spec §2",
  commands: () =>
    weightedOneOf(
      [5, sequence([fault(broken), adView], fc.oneof(event, event, fault(broken)))],
      [1, sequence([fault(broken, next("stats")), stats], event, 1)],
    ),
  judge(session) {
    let applied = eventsOf(session).filter(({ sent }) => sent.some(isBrokenSuccess)).length;
    mustMatchReceipts(session);
    for (const { operation, asks, sent } of queriesOf(session)) {
      // A client may return an earlier list of surfaces, but not earlier figures.
      if (operation !== "stats" || !sent.some(isBrokenSuccess)) continue;
      applied += 1;
      must(
        sent.some(isAcknowledged) || !asks.some(({ outcome }) => outcome.kind === "done"),
        () => `The answers to ${operation} were all broken, but the client said that it was done.`,
      );
    }
    mustNotLoseSilently(session);
    return applied;
  },
};

/** Doesn't count well-formed answers: wrong-answer-is-no-success is about those. */
function isBrokenSuccess(sent: SentRequest): boolean {
  return sent.got.status === 200 && !isAcknowledged(sent) && sent.fault?.kind !== "wrong-body";
}

export const retryRules: readonly Rule[] = [
  noEventDoubled,
  lostRequestNotLost,
  repeatIsTheSame,
  pausesGrow,
  givesUp,
  silenceEnds,
  brokenAnswerIsNoSuccess,
];
