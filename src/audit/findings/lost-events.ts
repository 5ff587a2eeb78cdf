/** Finds what became of impressions that failed: sent again so that they count twice, or not at all. */

import { groupedBy } from "../../base/grouped-by.ts";
import { isRecorded } from "../../exchange/operations/outcome.ts";
import { type Attempt, type Pair, pairsOf } from "./attempt.ts";
import { cameAfterText, type FindingKinds, type Offence } from "./finding.ts";

export const lostEvents = {
  "event-in-two-sessions": {
    title: "One event under two sessions",
    explanation:
      "An impression failed, and the client sent it again with another session_id. The service can't recognise it and may count it twice. A good client keeps the session_id for all attempts at one event.",
    spec: "§4",
    find: sentAgainInNewSession,
  },

  "failed-and-never-sent-again": {
    title: "Failed impressions never sent again",
    explanation:
      "No answer came, or the service was unavailable, and the client hasn't sent the impression again, so it may be missing. A good client sends it again with the same session_id until it has an answer. Clicks aren't checked: they have no session_id, so a repeated click may count twice.",
    spec: "§4",
    find(attempts) {
      const resent = attemptsIn(sentAgainInNewSession(attempts));
      const latest = new Map(attempts.map((attempt) => [attempt.who, attempt]));
      return droppedIn(attempts).flatMap((attempt) => {
        const { outcome, record, who } = attempt;
        const hasLeft = outcome === "unanswered" && record.response.delivery === undefined;
        const isEnd = hasLeft && latest.get(who) === attempt;
        // An unreadable success is still a success.
        if (outcome === "broken" || isEnd || resent.has(attempt)) return [];
        const isApplied = record.fault?.served !== false && isRecorded(record.reason);
        const lost = isApplied ? "recorded, which its client never learned" : "not recorded";
        return [{ attempt, detail: `${lost}, and not sent again` }];
      });
    },
  },
} satisfies FindingKinds;

/**
 * The attempts that repeat an event of another session. Two users who see the same ad look much alike, so three things must
 * hold: nothing else happened to the ad on that surface, each session had ended or just began, and most failed impressions
 * of the sender are repeated like this.
 */
function sentAgainInNewSession(attempts: readonly Attempt[]): Offence[] {
  const dropped = new Set(droppedIn(attempts));
  return [...groupedBy(attempts, ({ who }) => who).values()].flatMap((own) => {
    const sessions = groupedBy(own, ({ event }) => event?.session);
    const isResend = ([failed, next]: Pair): boolean =>
      dropped.has(failed) &&
      next.record.nowMs - failed.record.nowMs <= RETRY_WITHIN_MS &&
      sessions.get(failed.event?.session ?? "")?.at(-1) === failed &&
      sessions.get(next.event?.session ?? "")?.[0] === next;
    const spots = groupedBy(own, ({ event }) => event?.spot);
    const resends = [...spots.values()]
      .map((group) => pairsOf(group))
      .filter((pairs) => pairs.every(isResend))
      .flat()
      .map(([cause, attempt]) => {
        const detail = `${cameAfterText(cause, attempt)} under another session_id`;
        return { attempt, cause, detail };
      });
    const resent = attemptsIn(resends);
    const others = own.filter((attempt) => dropped.has(attempt) && !resent.has(attempt));
    // A client that drops failed impressions doesn't resend them: these are other users who see the same ads.
    return resends.length >= MIN_RESENDS_PER_DROPPED * others.length ? resends : [];
  });
}

const MIN_RESENDS_PER_DROPPED = 2;
/** A later attempt is hardly a retry. */
const RETRY_WITHIN_MS = 30_000;

function attemptsIn(offences: readonly Offence[]): ReadonlySet<Attempt | undefined> {
  return new Set(offences.flatMap(({ attempt, cause }) => [attempt, cause]));
}

/** Failed impressions that came only once, though their client had neither been told to wait nor lost its key. */
function droppedIn(attempts: readonly Attempt[]): Attempt[] {
  const unauthorized = attempts.filter(({ outcome }) => outcome === "unauthorized");
  const refused = new Set(unauthorized.map(({ credentials }) => credentials));
  const endMs = attempts.at(-1)?.record.nowMs ?? 0;
  const groups = groupedBy(attempts, ({ event }) => event?.spot && event.key);
  return [...groups.values()].flatMap(([attempt, ...again]) => {
    const { outcome, credentials, retryAtMs = 0 } = attempt;
    // The client was told neither that its event is recorded nor that it won't be.
    const isFailed = outcome === "unanswered" || outcome === "broken" || outcome === "unavailable";
    const isExcused = retryAtMs >= endMs || refused.has(credentials);
    return isFailed && again.length === 0 && !isExcused ? [attempt] : [];
  });
}
