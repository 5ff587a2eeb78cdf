/** How a client respects the request limits (spec §8). */

import fc from "fast-check";
import type { Choices } from "../../../simulator/simulator-options.ts";
import type { Session } from "../../session/session.ts";
import { isOfLimit, sentBy } from "../../session/tasks.ts";
import { beyondLimit, limitedAfterOutage, trulyBeyond } from "./beyond-limit.ts";
import {
  advance,
  fault,
  lateInTheDay,
  limitedByOtherStatus,
  limitedWithoutHint,
  limitedWithRetryAfter,
  next,
  OVER_MS,
  refusedUntilDate,
  spent,
} from "./disturbances.ts";
import { oneLimitNotTheOther } from "./other-limit.ts";
import { mustHoldQueue } from "./queue-waits.ts";
import { neverRepeats, type Rule } from "./rule.ts";
import { adView, event, flush, query, sequence, stats, weightedOneOf } from "./sequences.ts";
import {
  mustEnd,
  mustHaveNoFinding,
  mustNotLoseSilently,
  mustRecordShown,
} from "./shared-checks.ts";

function judgeWaits(session: Session): number {
  const applied = mustHaveNoFinding(session, "before-retry-after");
  mustHoldQueue(session);
  mustNotLoseSilently(session);
  mustNotHang(session);
  return applied;
}

/** A call may take as long as Retry-After demands, but it must not wait for nothing. */
function mustNotHang({ steps }: Session): void {
  mustEnd({ steps: steps.filter(({ outcome }) => outcome.kind !== "endless") });
}

const waitsAsTold: Rule = {
  id: "waits-as-told",
  says: "After a refusal the client sends nothing that counts against the same limit before the time in Retry-After has passed",
  source: "spec §8, RFC 9110 §10.2.3",
  assuming: [{ "limit.retry-after": "seconds" }],
  commands: () => beyondLimit,
  judge: judgeWaits,
};

const waitsUntilDate: Rule = {
  id: "waits-until-date",
  says: "A client waits until the date that Retry-After names",
  source: "spec §8, RFC 9110 §10.2.3",
  needsVirtualTime: true,
  assuming: [
    { "limit.retry-after": "http-date" },
    { "limit.retry-after": "http-date", "limit.exceeded": "503" },
  ],
  commands: () =>
    weightedOneOf(
      [2, trulyBeyond()],
      [1, sequence([refusedUntilDate("impression"), adView], event, 2)],
      [1, sequence([lateInTheDay, refusedUntilDate("impression"), adView], event, 2)],
      [1, sequence([lateInTheDay, refusedUntilDate("stats"), stats], query, 2)],
      [1, limitedAfterOutage],
    ),
  judge: judgeWaits,
};

const slowsDownUntold: Rule = {
  id: "slows-down-untold",
  says: "A client slows down at a limit that doesn't say when to come back",
  source: "spec §8",
  needsVirtualTime: true,
  assuming: [{ "limit.retry-after": "absent" }],
  whyNever: neverRepeats,
  commands: () =>
    weightedOneOf(
      [2, sequence([fault(limitedWithoutHint, next("impression", 5)), adView], event, 3)],
      [1, trulyBeyond()],
    ),
  judge(session) {
    const pauses = mustHaveNoFinding(session, "hot-loop", "pauses-do-not-grow");
    return sentBy(session).some(isOfLimit) ? pauses : 0;
  },
};

const others: readonly Choices[] = [
  { "limit.exceeded": "403", "limit.retry-after": "seconds" },
  { "limit.exceeded": "503", "limit.retry-after": "seconds" },
];

const limitByAnotherStatus: Rule = {
  id: "limit-by-another-status",
  says: "A client keeps to the limit, whatever status a refused request gets",
  source: "spec §8",
  assuming: others,
  commands: () =>
    weightedOneOf(
      [2, trulyBeyond()],
      // The recording limit is thousands of requests, so a fault rule imitates its answer.
      [
        1,
        sequence(
          [fault(limitedByOtherStatus, next("impression", 1)), adView, adView, advance(200, 300)],
          event,
          3,
        ),
      ],
    ),
  judge: judgeWaits,
};

const goesOnAfterTheLimit: Rule = {
  id: "goes-on-after-the-limit",
  says: "After the limit's minute has passed, events are recorded again",
  source: "spec §8",
  needsVirtualTime: true,
  commands: () =>
    weightedOneOf(
      [
        7,
        sequence(
          [
            fault(
              fc.oneof(limitedWithRetryAfter, limitedWithoutHint, limitedByOtherStatus),
              next("impression", 1),
            ),
            adView,
            flush,
            advance(300, 600),
            adView,
          ],
          event,
          3,
        ),
      ],
      [1, sequence([spent("recording"), adView, flush, advance(300, 600), adView], event, 2)],
    ),
  judge(session) {
    const refused = sentBy(session).findLast((sent) => isOfLimit(sent));
    if (refused === undefined) return 0;
    return mustRecordShown(
      session,
      ({ at, atMs }) => at > refused.stepIndex && atMs >= refused.atMs + OVER_MS,
      (name) =>
        `The limit last refused a request more than two minutes before ${name} was shown, but the service has no record of it.`,
    );
  },
};

export const limitRules: readonly Rule[] = [
  waitsAsTold,
  waitsUntilDate,
  slowsDownUntold,
  limitByAnotherStatus,
  goesOnAfterTheLimit,
  oneLimitNotTheOther,
];
