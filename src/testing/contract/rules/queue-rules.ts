/** What happens to events in a client's queue. */

import fc from "fast-check";
import { durationInWords } from "../../../base/duration.ts";
import { eventKinds } from "../../../spec/operations.ts";
import { type Command, isOfClient } from "../../session/command.ts";
import { requestBudget } from "../../session/outcomes.ts";
import {
  closingOf,
  endingsOf,
  type PerformedCommand,
  performedCommandsOfKind,
} from "../../session/performed-commands.ts";
import type { Session } from "../../session/session.ts";
import { isAcknowledged } from "../../session/tasks.ts";
import { outcomeInWords } from "../../session/words.ts";
import {
  advance,
  doubtful,
  failed,
  fault,
  heal,
  lasting,
  limitedFor,
  lost,
  next,
  slow,
  some,
} from "./disturbances.ts";
import { must, type Rule } from "./rule.ts";
import {
  adView,
  againOf,
  click,
  close,
  event,
  flush,
  inTurn,
  rush,
  sequence,
  together,
  togetherAll,
  weightedOneOf,
} from "./sequences.ts";
import { mustCountUndelivered, mustEnd, mustNotLoseSilently } from "./shared-checks.ts";
import { saysCounts, undeliveredOf } from "./undelivered.ts";
import {
  closedInOutage,
  closedUnderWay,
  closedWithFigures,
  closedWithQuery,
  flushedUnderWay,
  hasQueue,
  mustFinish,
  mustNotCloseEarly,
} from "./under-way.ts";

/** An event still waits when two callers end the client's work at the same time. */
const endedTwice: fc.Arbitrary<readonly Command[]> = inTurn(
  fault(failed, next("impression", 1)),
  adView,
  togetherAll(fc.oneof(close, close, flush), close),
);

const flushDelivers: Rule = {
  id: "flush-delivers",
  says: "Every flush delivers all that the client was given before",
  source: "spec §1",
  needs: ["flush"],
  commands: () =>
    weightedOneOf(
      [5, sequence([adView, flush], fc.oneof(event, event, flush, together(flush)))],
      // Events that wait for another attempt are in the queue too.
      [
        3,
        sequence(
          [
            fault(failed, next("impression", 1)),
            adView,
            fc.oneof(flush, togetherAll(flush, flush)),
          ],
          fc.oneof(event, event, flush),
        ),
      ],
      // Clicks wait for their view.
      [
        2,
        inTurn(fc.oneof(slow, fault(failed, next("impression", 1))), adView, click, click, flush),
      ],
      [4, flushedUnderWay],
      [1, inTurn(adView, close, flush)],
    ),
  judge(session) {
    mustEnd(session, ["flush"]);
    const isCalm = session.exchanges.every(isAcknowledged);
    let applied = 0;
    const closedAt = closingOf(session)?.at ?? session.steps.length;
    for (const end of performedCommandsOfKind(session, "flush")) {
      // Later ones only have to end.
      if (end.at > closedAt) break;
      must(!isCalm || end.outcome.kind === "done", () => {
        return `A flush failed although the service refused nothing: ${outcomeInWords(end.outcome)}.`;
      });
      const given = end.outcome.kind === "done" ? mustFinish(session, end) : 0;
      if (given > 0) applied += 1;
    }
    return applied;
  },
};

const disturbed: fc.Arbitrary<readonly Command[]> = fc.oneof(
  sequence([adView]),
  sequence([fault(lost), adView], fc.oneof(event, event, heal, advance(1, 120))),
  sequence([fault(failed, lasting), adView]),
);

/** Many events while a limit makes the queue wait, until it is full. */
const filled: fc.Arbitrary<readonly Command[]> = inTurn(
  fault(limitedFor(30), next("impression", 1)),
  rush,
);

const closeLosesNothing: Rule = {
  id: "close-loses-nothing",
  says: "A client that is closed loses nothing: it reports what isn't recorded",
  source: "spec §1",
  needs: ["close"],
  commands: () => weightedOneOf([11, disturbed], [1, filled], [4, closedUnderWay]),
  judge(session) {
    if (closingOf(session) === undefined) return 0;
    for (const end of endingsOf(session)) {
      const isClosing = end.command.kind === "close" && end.outcome.kind === "done";
      if (isClosing && hasQueue(session)) mustFinish(session, end);
    }
    return mustNotLoseSilently(session);
  },
};

const closeEnds: Rule = {
  id: "close-ends",
  says: `A client can be closed during an outage, within six hours and ${requestBudget}`,
  source: "spec §1",
  needs: ["close"],
  commands: () =>
    weightedOneOf(
      [7, sequence([fault(fc.oneof(failed, lost), fc.oneof(lasting, some)), adView], event, 3)],
      [1, endedTwice],
      [1, closedInOutage],
    ),
  judge(session) {
    mustEnd(session, ["close"]);
    // A call that was under way then ends, too.
    for (const { parts = [] } of session.steps)
      if (parts.some(({ command }) => command.kind === "close")) mustEnd({ steps: parts });
    const isOutage = session.steps.some(({ command }) => command.kind === "fault");
    return isOutage ? 1 : 0;
  },
};

/** A flush that the client can't do shows that it has no queue. */
const usedAfterClose: fc.Arbitrary<readonly Command[]> = sequence(
  [adView, close, flush],
  fc.oneof(event, flush, close, advance(1, 120)),
);

const silentAfterClose: Rule = {
  id: "silent-after-close",
  says: "A client sends nothing after it is closed, even if it is used again",
  source: "spec §1",
  needs: ["close"],
  commands: () =>
    weightedOneOf(
      [4, disturbed],
      [5, usedAfterClose],
      [3, endedTwice],
      [2, closedUnderWay],
      [2, closedWithFigures],
      [1, closedWithQuery],
    ),
  judge(session) {
    const closing = closingOf(session);
    if (closing === undefined) return 0;
    for (const step of session.steps) mustNotCloseEarly(session, step);
    const isJudged = hasQueue(session);
    const steps = session.steps
      .slice(closing.at + 1)
      .filter(({ command, parts }) => isJudged || (parts === undefined && !isOfClient(command)));
    const later = steps.flatMap(({ exchanges }) => exchanges);
    must(later.length === 0, () => {
      const [first] = later;
      const what = `${first?.request.method} ${first?.request.path}`;
      return `The client was closed, and then sent ${later.length} more requests within an hour. The first was ${what}.`;
    });
    return 1;
  },
};

const noTimerAfterClose: Rule = {
  id: "no-timer-after-close",
  says: "A closed client leaves no timer behind, so that its process can end",
  source: "spec §1",
  needs: ["close"],
  commands: () =>
    weightedOneOf([5, disturbed], [1, closedUnderWay], [1, closedInOutage], [1, closedWithFigures]),
  judge(session) {
    const closing = closingOf(session);
    if (closing === undefined) return 0;
    const { timersAfterClose: left } = session;
    must(left.length === 0, () => {
      const firesMs = Math.max(...left) - closing.endMs;
      return (
        `A second after the client was closed it still had pending timers: ${left.length}. The last one fires ${durationInWords(firesMs)} after the closing. ` +
        "A pending timer keeps a Node process alive: clear it, or call its unref()."
      );
    });
    return 1;
  },
};

/** A click and views are given up. Later the clicked view is reported again. */
const givenUp: fc.Arbitrary<readonly Command[]> = inTurn(
  ...[adView, flush, fault(failed, fc.constant({ operation: ["impression", "click"] }))],
  fc.oneof(togetherAll(click, adView), togetherAll(click, adView, adView, adView, adView, adView)),
  ...[flush, heal, againOf(0), flush],
);

const undeliveredIsTrue: Rule = {
  id: "undelivered-is-true",
  says: "The client counts each accepted event that it gave up as undelivered, and none that it knows to be recorded",
  source: "spec §1",
  needs: ["close"],
  commands: () =>
    weightedOneOf(
      [2, sequence([fault(fc.oneof(lost, doubtful), some), adView], fc.oneof(event, flush))],
      [2, sequence([adView, adView, fault(failed, lasting), adView])],
      [1, givenUp],
    ),
  whyNever: (session) =>
    endingsOf(session).some(({ outcome }) => outcome.kind === "done" && saysCounts(outcome.value))
      ? undefined
      : "the client never says how many events it couldn't deliver",
  judge(session) {
    mustCountSinceFlush(session);
    return mustCountUndelivered(session);
  },
};

/**
 * Every flush counts what was given up since the last one. A client whose flushes don't all say both numbers is judged by its
 * close alone.
 *
 * @throws BrokenRule
 */
function mustCountSinceFlush(session: Session): void {
  mustNotLoseSilently(session);
  const flushes = performedCommandsOfKind(session, "flush");
  if (!flushes.every(saysBoth)) return;
  for (const end of flushes) mustNotLoseSilently(session, end);
}

function saysBoth({ outcome }: PerformedCommand): boolean {
  return (
    outcome.kind === "done" &&
    eventKinds.every((kind) => undeliveredOf(outcome.value, kind).length > 0)
  );
}

export const queueRules: readonly Rule[] = [
  flushDelivers,
  closeLosesNothing,
  closeEnds,
  silentAfterClose,
  noTimerAfterClose,
  undeliveredIsTrue,
];
