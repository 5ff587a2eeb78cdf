/** Finds failed impressions that nobody sent again, and lost answers whose retries count twice. */

import { groupedBy } from "../../base/grouped-by.ts";
import { isRecorded } from "../../exchange/operations/outcome.ts";
import { type Attempt, isWrongAnswer } from "./attempts.ts";
import { eventsResentInNewSession } from "./event-in-two-sessions.ts";
import { createStopCheck, isFailed, isSoonAfter } from "./failed-attempts.ts";
import { cameAfterText, type FindingKind, type Offence } from "./finding.ts";

export const failedAndNeverSentAgain: FindingKind = {
  title: "Failed impressions never sent again",
  explanation:
    "No answer came, the answer was wrong, or the service was unavailable, and the client hasn't sent the impression again, so it may be missing. A good client sends it again with the same session_id until it has an answer. Clicks aren't checked: they have no session_id, so a repeated click may count twice.",
  spec: "§4",
  find(history) {
    const { attempts } = history;
    const hasStopped = createStopCheck(attempts);
    const resent = new Set(
      eventsResentInNewSession(history).flatMap(({ attempt, cause }) => [attempt, cause]),
    );
    const latest = new Map(attempts.map(({ who, sequence }) => [who, sequence]));
    const byEvent = groupedBy(attempts, ({ event, requestKey }) => event && requestKey);
    return [...byEvent.values()].flatMap(([attempt, ...others]) => {
      if (others.length > 0 || resent.has(attempt)) return [];
      // An unreadable success is still a success.
      const isOpen =
        attempt.event?.kind === "impression" &&
        (attempt.outcome === "unanswered" ||
          attempt.outcome === "unavailable" ||
          (isWrongAnswer(attempt.record) && !isApplied(attempt)));
      const isEnd = hasGone(attempt) && latest.get(attempt.who) === attempt.sequence;
      if (!isOpen || isEnd || hasStopped(attempt) || history.isReportedToCaller(attempt)) return [];
      return [{ attempt, detail: lossDetail(attempt) }];
    });
  },
};

/** Whether the client disconnected before an answer could reach it. */
function hasGone({ outcome, record }: Attempt): boolean {
  return outcome === "unanswered" && record.response.delivery === undefined;
}

function lossDetail(attempt: Attempt): string {
  return isApplied(attempt)
    ? "recorded, which its client never learned, and not sent again"
    : "not recorded, and not sent again";
}

function isApplied({ record }: Attempt): boolean {
  return record.fault?.served !== false && isRecorded(record.reason);
}

export const lostAndSentAgainWithoutSession: FindingKind = {
  title: "Lost answers, sent again without a session",
  explanation:
    "An impression was recorded, its answer was lost, and the client sent it again without a session_id, so it counts twice. A good client gives each impression a session_id, and keeps it for all attempts.",
  spec: "§4",
  find({ attempts }) {
    const bySpot = groupedBy(attempts, ({ event, isOneEvent, requestKey }) =>
      event?.kind === "impression" && event.session === undefined && !isOneEvent
        ? requestKey
        : undefined,
    );
    return [...bySpot.values()].flatMap(doubled);
  },
};

/**
 * Impressions of one ad may come from many users. They count as one event only if all but the last failed and each was
 * soon repeated.
 */
function doubled(group: readonly Attempt[]): Offence[] {
  const isOneEvent = group.every((attempt, index) => {
    const before = group[index - 1];
    return before === undefined || (isFailed(before) && isSoonAfter(before, attempt));
  });
  if (!isOneEvent) return [];
  const [first, ...again] = group.filter(isApplied);
  if (first === undefined) return [];
  return again.map((attempt) => ({
    attempt,
    cause: first,
    detail: `recorded, and ${cameAfterText(first, attempt)} and was recorded again`,
  }));
}
