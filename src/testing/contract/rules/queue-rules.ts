/** What happens to events in a client's queue. */

import fc from "fast-check";
import { verdictTraits } from "../../../faults/verdict-traits.ts";
import type { Command } from "../../session/command.ts";
import type { Session } from "../../session/session.ts";
import { type EventTask, eventsOf, isAcknowledged, type SentRequest } from "../../session/tasks.ts";
import {
  advance,
  doubtful,
  failed,
  fault,
  heal,
  lasting,
  lost,
  next,
  some,
} from "./disturbances.ts";
import { must, type Rule } from "./rule.ts";
import { adView, event, flush, sequence } from "./sequences.ts";
import { mustEnd, mustNotLoseSilently, undeliveredOf } from "./shared-checks.ts";

const flushDelivers: Rule = {
  id: "flush-delivers",
  says: "A flush delivers all that the client was given",
  source: "spec §1",
  needs: ["flush"],
  commands: () =>
    fc.oneof(
      sequence([adView, flush], fc.oneof(event, event, flush)),
      // Events that wait for another attempt are in the queue too.
      sequence(
        [fault(failed, next("impression", 1)), adView, flush],
        fc.oneof(event, event, flush),
      ),
    ),
  judge(session) {
    let applied = 0;
    for (const [at, { command, outcome }] of session.steps.entries()) {
      if (command.kind !== "flush" || outcome.kind !== "done") continue;
      const given = mustNotLoseSilently(session, at);
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

const closeLosesNothing: Rule = {
  id: "close-loses-nothing",
  says: "A client that is closed loses nothing: it reports what isn't recorded",
  source: "spec §1",
  needs: ["close"],
  commands: () => disturbed,
  judge: (session) => (isClosed(session) ? mustNotLoseSilently(session) : 0),
};

function isClosed({ steps }: Session): boolean {
  const { outcome } = steps.find(({ command }) => command.kind === "close") ?? {};
  return outcome?.kind === "done" || outcome?.kind === "failed";
}

const closeEnds: Rule = {
  id: "close-ends",
  says: "A client can be closed during an outage, within six hours and 250 requests",
  source: "spec §1",
  needs: ["close"],
  commands: () =>
    sequence([fault(fc.oneof(failed, lost), fc.oneof(lasting, some)), adView], event, 3),
  judge(session) {
    mustEnd(session, ["close"]);
    const isOutage = session.steps.some(({ command }) => command.kind === "fault");
    return isOutage ? 1 : 0;
  },
};

const silentAfterClose: Rule = {
  id: "silent-after-close",
  says: "A client sends nothing after it is closed",
  source: "spec §1",
  needs: ["close"],
  commands: () => disturbed,
  judge(session) {
    if (!isClosed(session)) return 0;
    const last = session.steps.findIndex(({ command }) => command.kind === "close");
    const later = session.steps.slice(last + 1).flatMap(({ exchanges }) => exchanges);
    must(later.length === 0, () => {
      const [first] = later;
      const what = `${first?.request.method} ${first?.request.path}`;
      return `The client was closed, and then sent ${later.length} more requests within an hour. The first was ${what}.`;
    });
    return 1;
  },
};

const undeliveredIsTrue: Rule = {
  id: "undelivered-is-true",
  says: "The client never reports an event as undelivered that it knows to be recorded",
  source: "spec §1",
  needs: ["close"],
  commands: () =>
    fc.oneof(
      sequence([fault(fc.oneof(lost, doubtful), some), adView], fc.oneof(event, flush)),
      sequence([adView, adView, fault(failed, lasting), adView]),
    ),
  judge(session) {
    const events = eventsOf(session);
    const close = session.steps.find(({ command }) => command.kind === "close");
    const value = close?.outcome.kind === "done" ? close.outcome.value : undefined;
    let applied = 0;
    for (const kind of ["impression", "click"] as const) {
      const own = events.filter(({ operation }) => operation === kind);
      const given = sumOf(own, ({ asks }) => asks.length);
      // After a lost answer or a conflict the client can't know, so it may report the event as undelivered or not.
      const open = sumOf(own, ({ asks, sent }) =>
        Math.max(0, asks.length - sent.filter(isCertainlyConfirmed).length),
      );
      for (const said of undeliveredOf(value, kind)) {
        must(Number.isInteger(said) && said >= 0 && said <= open, () => {
          return `The client reports ${said} ${kind}s as undelivered. It was given ${given}, and knows that ${given - open} are recorded.`;
        });
        applied += given > 0 ? 1 : 0;
      }
    }
    return applied;
  },
};

/** A late answer doesn't count: the client may have stopped waiting for it. */
function isCertainlyConfirmed(sent: SentRequest): boolean {
  const { fault } = sent;
  const isLate = fault && (fault.delayMs > 0 || verdictTraits[fault.kind].answer === "slow");
  return isAcknowledged(sent) && isLate !== true;
}

function sumOf(events: readonly EventTask[], countOf: (event: EventTask) => number): number {
  return events.reduce((sum, one) => sum + countOf(one), 0);
}

export const queueRules: readonly Rule[] = [
  flushDelivers,
  closeLosesNothing,
  closeEnds,
  silentAfterClose,
  undeliveredIsTrue,
];
