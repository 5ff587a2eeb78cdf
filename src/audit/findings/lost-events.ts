/** Finds what became of impressions that failed: sent again so that they count twice, or not at all. */

import { groupedBy } from "../../base/grouped-by.ts";
import { isRecorded } from "../../exchange/operations/outcome.ts";
import { type Attempt, isWrongAnswer } from "./attempt.ts";
import { cameAfterText, type FindingKinds, type Offence } from "./finding.ts";

export const lostEvents = {
  "event-in-two-sessions": {
    title: "One event under two sessions",
    explanation:
      "An impression failed, and the client sent it again with another session_id. The service can't recognise it and may count it twice. A good client keeps the session_id for all attempts at one event.",
    spec: "§4",
    find: sentAgainInNewSession,
  },

  "lost-and-sent-again-without-session": {
    title: "Lost answers, sent again without a session",
    explanation:
      "An impression was recorded, its answer was lost, and the client sent it again without a session_id, so it counts twice. A good client gives each impression a session_id, and keeps it for all attempts.",
    spec: "§4",
    find(attempts) {
      const withoutSession = attempts.filter(({ isOneEvent }) => !isOneEvent);
      return [...groupedBy(withoutSession, impressionKey).values()].flatMap((group) => {
        // One ad may have many users. It is one event only if all but the last failed and each was soon repeated.
        const isOneEvent = pairsOf(group).every(([failed, next]) => isRetry(failed, next));
        const [cause, ...again] = isOneEvent ? group.filter(isApplied) : [];
        if (cause === undefined) return [];
        return again.map((attempt) => ({
          ...{ attempt, cause },
          detail: `recorded, and ${cameAfterText(cause, attempt)} and was recorded again`,
        }));
      });
    },
  },

  "failed-and-never-sent-again": {
    title: "Failed impressions never sent again",
    explanation:
      "No answer came, the answer was wrong, or the service was unavailable, and the client hasn't sent the impression again, so it may be missing. A good client sends it again with the same session_id until it has an answer. Clicks aren't checked: they have no session_id, so a repeated click may count twice.",
    spec: "§4",
    find(attempts) {
      const hasStopped = stopCheckOf(attempts);
      const resent = attemptsIn(sentAgainInNewSession(attempts));
      const latest = new Map(attempts.map((attempt) => [attempt.who, attempt]));
      return onlyAttempts(attempts).flatMap((attempt) => {
        const { outcome, record, who } = attempt;
        // An unreadable success is still a success.
        const isOpen =
          outcome === "broken" ? isWrongAnswer(record) && !isApplied(attempt) : isFailed(attempt);
        const hasLeft = outcome === "unanswered" && record.response.delivery === undefined;
        const isEnd = hasLeft && latest.get(who) === attempt;
        if (!isOpen || isEnd || hasStopped(attempt) || resent.has(attempt)) return [];
        const lost = isApplied(attempt)
          ? "recorded, which its client never learned"
          : "not recorded";
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
  const hasStopped = stopCheckOf(attempts);
  const senders = groupedBy(attempts, (one) =>
    sessionOf(one) === undefined ? undefined : one.who,
  );
  return [...senders.values()].flatMap((own) => {
    const sessions: ReadonlyMap<string | undefined, Attempt[]> = groupedBy(own, sessionOf);
    const isResend = ([failed, next]: Pair): boolean =>
      isRetry(failed, next) &&
      !hasStopped(failed) &&
      sessions.get(sessionOf(failed))?.at(-1) === failed &&
      sessions.get(sessionOf(next))?.[0] === next;
    const resends = [...groupedBy(own, spotOf).values()]
      .map((group) => pairsOf(group))
      .filter((pairs) => pairs.every(isResend))
      .flat()
      .map(([cause, attempt]) => {
        const detail = `${cameAfterText(cause, attempt)} under another session_id`;
        return { attempt, cause, detail };
      });
    const resent = attemptsIn(resends);
    const dropped = onlyAttempts(own).filter(
      (attempt) => isFailed(attempt) && !resent.has(attempt) && !hasStopped(attempt),
    );
    // A client that drops failed impressions doesn't resend them: these are other users who see the same ads.
    return resends.length >= MIN_RESENDS_PER_DROPPED * dropped.length ? resends : [];
  });
}

const MIN_RESENDS_PER_DROPPED = 2;
/** A later attempt is hardly a retry. */
const RETRY_WITHIN_MS = 30_000;

type Pair = readonly [failed: Attempt, next: Attempt];

function pairsOf(attempts: readonly [Attempt, ...Attempt[]]): Pair[] {
  const [first, ...others] = attempts;
  return others.map((next, at) => [others[at - 1] ?? first, next]);
}

function attemptsIn(offences: readonly Offence[]): ReadonlySet<Attempt | undefined> {
  return new Set(offences.flatMap(({ attempt, cause }) => [attempt, cause]));
}

/** Impressions that came only once. */
function onlyAttempts(attempts: readonly Attempt[]): Attempt[] {
  const groups = [...groupedBy(attempts, impressionKey).values()];
  return groups.filter(({ length }) => length === 1).flat();
}

function impressionKey({ event, requestKey }: Attempt): string | undefined {
  return event?.kind === "impression" ? requestKey : undefined;
}

function sessionOf({ event }: Attempt): string | undefined {
  return event?.kind === "impression" ? event.session : undefined;
}

function spotOf({ event }: Attempt): string | undefined {
  return event?.kind === "impression" ? event.spot : undefined;
}

function isApplied({ record }: Attempt): boolean {
  return record.fault?.served !== false && isRecorded(record.reason);
}

/** Whether the client was told neither that its event is recorded nor that it won't be. */
function isFailed({ outcome }: Attempt): boolean {
  return outcome === "unanswered" || outcome === "broken" || outcome === "unavailable";
}

function isRetry(failed: Attempt, next: Attempt): boolean {
  return isFailed(failed) && next.record.nowMs - failed.record.nowMs <= RETRY_WITHIN_MS;
}

/** Whether the client was right not to repeat an attempt: its key was refused by then, or it was told to wait. */
function stopCheckOf(attempts: readonly Attempt[]): (attempt: Attempt) => boolean {
  const refused = attempts.filter(({ outcome }) => outcome === "unauthorized");
  const refusedMs = new Map(
    refused.map(({ credentials, answeredMs = Number.POSITIVE_INFINITY }) => [
      credentials,
      answeredMs,
    ]),
  );
  const endMs = attempts.at(-1)?.record.nowMs ?? 0;
  return ({ credentials, record, retryAtMs = 0 }) =>
    retryAtMs >= endMs || (refusedMs.get(credentials) ?? 0) >= record.nowMs;
}
