/** What happens to events in a client's queue. */

import fc from "fast-check";
import { type Command, isOfClient } from "../../session/command.ts";
import { requestBudget } from "../../session/outcomes.ts";
import { closingOf, performedCommandsOfKind } from "../../session/performed-commands.ts";
import type { Session, Step } from "../../session/session.ts";
import { isAcknowledged } from "../../session/tasks.ts";
import { durationInWords, outcomeInWords, timeInWords } from "../../session/words.ts";
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
  some,
} from "./disturbances.ts";
import { must, type Rule } from "./rule.ts";
import {
  adView,
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
    fc.oneof(
      sequence([adView, flush], fc.oneof(event, event, flush, together(flush))),
      // Events that wait for another attempt are in the queue too.
      sequence(
        [fault(failed, next("impression", 1)), adView, fc.oneof(flush, togetherAll(flush, flush))],
        fc.oneof(event, event, flush),
      ),
    ),
  judge(session) {
    mustEnd(session, ["flush"]);
    const isCalm = session.exchanges.every(isAcknowledged);
    let applied = 0;
    for (const { at, outcome } of performedCommandsOfKind(session, "flush")) {
      must(!isCalm || outcome.kind === "done", () => {
        return `A flush failed although the service refused nothing: ${outcomeInWords(outcome)}.`;
      });
      const given = outcome.kind === "done" ? mustNotLoseSilently(session, at) : 0;
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
  commands: () => weightedOneOf([11, disturbed], [1, filled]),
  judge: (session) => (closingOf(session) === undefined ? 0 : mustNotLoseSilently(session)),
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
    ),
  judge(session) {
    mustEnd(session, ["close"]);
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
  commands: () => weightedOneOf([3, disturbed], [3, usedAfterClose], [1, endedTwice]),
  judge(session) {
    const closing = closingOf(session);
    if (closing === undefined) return 0;
    for (const step of session.steps) mustNotCloseEarly(session, step);
    const hasQueue = performedCommandsOfKind(session, "flush").length > 0;
    // A client without a queue may have nothing to close.
    const steps = session.steps
      .slice(closing.at + 1)
      .filter(({ command, parts }) => hasQueue || (parts === undefined && !isOfClient(command)));
    const later = steps.flatMap(({ exchanges }) => exchanges);
    must(later.length === 0, () => {
      const [first] = later;
      const what = `${first?.request.method} ${first?.request.path}`;
      return `The client was closed, and then sent ${later.length} more requests within an hour. The first was ${what}.`;
    });
    return 1;
  },
};

/** Of several calls that close the client at the same time, none may succeed while it still sends. */
function mustNotCloseEarly(session: Session, { parts = [], exchanges }: Step): void {
  for (const { command, outcome, endMs } of parts) {
    if (command.kind !== "close" || outcome.kind !== "done") continue;
    const later = exchanges.find(({ atMs }) => atMs > endMs);
    must(
      later === undefined,
      () =>
        `A call to close the client succeeded at ${timeInWords(session, endMs)}. The client sent ${later?.request.method} ${later?.request.path} after that, at ${timeInWords(session, later?.atMs ?? 0)}.`,
    );
  }
}

const noTimerAfterClose: Rule = {
  id: "no-timer-after-close",
  says: "A closed client leaves no timer behind, so that its process can end",
  source: "spec §1",
  needs: ["close"],
  commands: () => disturbed,
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

const undeliveredIsTrue: Rule = {
  id: "undelivered-is-true",
  says: "The client never reports an event as undelivered if it knows that the event is recorded",
  source: "spec §1",
  needs: ["close"],
  commands: () =>
    fc.oneof(
      sequence([fault(fc.oneof(lost, doubtful), some), adView], fc.oneof(event, flush)),
      sequence([adView, adView, fault(failed, lasting), adView]),
    ),
  judge: mustCountUndelivered,
};

export const queueRules: readonly Rule[] = [
  flushDelivers,
  closeLosesNothing,
  closeEnds,
  silentAfterClose,
  noTimerAfterClose,
  undeliveredIsTrue,
];
