/**
 * Finds failed impressions that come again under another session. Two users who see the same ad look much alike, so three
 * things must hold: nothing else happened to the ad on that surface, each session sent one attempt, and most failed
 * impressions of the sender are resent like this.
 */

import { groupedBy } from "../../base/grouped-by.ts";
import type { Attempt, AttemptHistory } from "./attempts.ts";
import { createStopCheck, isFailed, isSoonAfter } from "./failed-attempts.ts";
import { cameAfterText, type FindingKind, type Offence } from "./finding.ts";

export const eventInTwoSessions: FindingKind = {
  title: "One event under two sessions",
  explanation:
    "An impression failed, and the client sent it again with another session_id. The service can't recognise it and may count it twice. A good client keeps the session_id for all attempts at one event.",
  spec: "§4",
  find: eventsResentInNewSession,
};

/** The attempts that repeat an event of another session, each with the failed one before it as its cause. */
export function eventsResentInNewSession({ attempts }: AttemptHistory): Offence[] {
  const hasStopped = createStopCheck(attempts);
  const bySender = groupedBy(attempts, ({ who, event }) =>
    event?.kind === "impression" && event.session !== undefined ? who : undefined,
  );
  return [...bySender.values()].flatMap((impressions) => {
    const resends = resendsInNewSession(impressions, hasStopped);
    const involved = new Set(resends.flatMap(({ attempt, cause }) => [attempt, cause]));
    const dropped = [...groupedBy(impressions, ({ requestKey }) => requestKey).values()].filter(
      ([failed, ...again]) =>
        again.length === 0 && isFailed(failed) && !(involved.has(failed) || hasStopped(failed)),
    );
    // A client that drops failed impressions doesn't resend them: these are other users who see the same ads.
    return resends.length >= MIN_RESENDS_PER_DROPPED * dropped.length ? resends : [];
  });
}

const MIN_RESENDS_PER_DROPPED = 2;

function resendsInNewSession(
  impressions: readonly Attempt[],
  hasStopped: (attempt: Attempt) => boolean,
): Offence[] {
  const sessions = sessionsIn(impressions);
  const isResend = (failed: Attempt, next: Attempt): boolean =>
    isFailed(failed) &&
    isSoonAfter(failed, next) &&
    sessions.get(sessionOf(failed))?.last === failed.sequence &&
    sessions.get(sessionOf(next))?.first === next.sequence &&
    !hasStopped(failed);
  const bySpot = groupedBy(impressions, ({ event }) =>
    event?.kind === "impression" ? event.spot : undefined,
  );
  return [...bySpot.values()].flatMap((group) => {
    const resends = group.flatMap((attempt, index) => {
      const cause = group[index - 1];
      return cause !== undefined && isResend(cause, attempt)
        ? [{ attempt, cause, detail: `${cameAfterText(cause, attempt)} under another session_id` }]
        : [];
    });
    return resends.length === group.length - 1 ? resends : [];
  });
}

interface Session {
  readonly first: number;
  readonly last: number;
}

/** By session, the sequences of its first and last impressions. */
function sessionsIn(attempts: readonly Attempt[]): ReadonlyMap<string | undefined, Session> {
  const sessions = new Map<string | undefined, Session>();
  for (const attempt of attempts) {
    const session = sessionOf(attempt);
    const { sequence } = attempt;
    sessions.set(session, { first: sessions.get(session)?.first ?? sequence, last: sequence });
  }
  return sessions;
}

function sessionOf({ event }: Attempt): string | undefined {
  return event?.kind === "impression" ? event.session : undefined;
}
