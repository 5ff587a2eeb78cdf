/**
 * A failed impression that comes again under another session. Two users who see the same ad look much like it: only
 * where nothing else ever happened to the ad on that surface, and each session was there for one attempt, is it one event.
 */

import type { Attempt, Stretch } from "../attempts.ts";
import { cameAfter, type FindingKind, groupedBy, type Offence } from "../finding.ts";
import { isFailed, isSoonAfter, whoStopped } from "./failed.ts";

export const eventInTwoSessions: FindingKind = {
  title: "One event under two sessions",
  explanation:
    "An impression failed and came again with another session_id, so that the service can't recognise it and may count it twice; a good client keeps the session_id for all attempts at one event.",
  spec: "§4",
  find: movedEvents,
};

/** The attempts that repeat an event of another session, each with the one that failed before it. */
export function movedEvents({ attempts }: Stretch): Offence[] {
  const sessions = sessionsIn(attempts);
  const hasStopped = whoStopped(attempts);
  const isMoved = (failed: Attempt, next: Attempt): boolean =>
    isFailed(failed) &&
    isSoonAfter(failed, next) &&
    sessions.get(sessionOf(failed))?.last === failed.sequence &&
    sessions.get(sessionOf(next))?.first === next.sequence &&
    !hasStopped(failed);
  const bySpot = groupedBy(attempts, ({ who, event }) =>
    event?.kind === "impression" && event.session !== undefined
      ? `${who}\n${event.spot}`
      : undefined,
  );
  return [...bySpot.values()].flatMap((group) => {
    const offences = group.flatMap((attempt, index) => {
      const cause = group[index - 1];
      return cause !== undefined && isMoved(cause, attempt)
        ? [{ attempt, cause, said: `${cameAfter(cause, attempt)} under another session_id` }]
        : [];
    });
    return offences.length === group.length - 1 ? offences : [];
  });
}

interface Session {
  readonly first: number;
  readonly last: number;
}

/** The first and the last impression of each session, by their sequences. */
function sessionsIn(attempts: readonly Attempt[]): ReadonlyMap<string, Session> {
  const sessions = new Map<string, Session>();
  for (const attempt of attempts) {
    const session = sessionOf(attempt);
    const { sequence } = attempt;
    sessions.set(session, { first: sessions.get(session)?.first ?? sequence, last: sequence });
  }
  return sessions;
}

function sessionOf({ who, event }: Attempt): string {
  return JSON.stringify([who, event?.kind === "impression" ? event.session : undefined]);
}
