/**
 * A failed impression that comes again under another session. Two users who see the same ad look much like it: only
 * where nothing else ever happened to the ad on that surface, each session was there for one attempt, and this is what
 * mostly becomes of its sender's failed impressions, it is one event.
 */

import type { Attempt, AttemptHistory } from "./attempts.ts";
import { createStopCheck, isFailed, isSoonAfter } from "./failed-attempts.ts";
import { cameAfterText, type FindingKind, groupedBy, type Offence } from "./finding.ts";

export const eventInTwoSessions: FindingKind = {
  title: "One event under two sessions",
  explanation:
    "An impression failed, and the client sent it again with another session_id. The service can't recognise it and may count it twice. A good client keeps the session_id for all attempts at one event.",
  spec: "§4",
  find: eventsResentInNewSession,
};

/** The attempts that repeat an event of another session, each with the one that failed before it. */
export function eventsResentInNewSession({ attempts }: AttemptHistory): Offence[] {
  const hasStopped = createStopCheck(attempts);
  const bySender = groupedBy(attempts, ({ who, event }) =>
    event?.kind === "impression" && event.session !== undefined ? who : undefined,
  );
  return [...bySender.values()].flatMap((shown) => {
    const moves = resendsInNewSession(shown, hasStopped);
    const involved = new Set(moves.flatMap(({ attempt, cause }) => [attempt, cause]));
    const left = [...groupedBy(shown, ({ requestKey }) => requestKey).values()].filter(
      ([failed, ...again]) =>
        failed !== undefined &&
        again.length === 0 &&
        isFailed(failed) &&
        !(involved.has(failed) || hasStopped(failed)),
    );
    // Who leaves failed impressions alone has other users, who see the same ads.
    return moves.length >= MOVES_TO_LEFT * left.length ? moves : [];
  });
}

/** So many moves for each failed impression that nobody sent again. */
const MOVES_TO_LEFT = 2;

function resendsInNewSession(
  shown: readonly Attempt[],
  hasStopped: (attempt: Attempt) => boolean,
): Offence[] {
  const sessions = sessionsIn(shown);
  const isMove = (failed: Attempt, next: Attempt): boolean =>
    isFailed(failed) &&
    isSoonAfter(failed, next) &&
    sessions.get(sessionOf(failed))?.last === failed.sequence &&
    sessions.get(sessionOf(next))?.first === next.sequence &&
    !hasStopped(failed);
  const bySpot = groupedBy(shown, ({ event }) =>
    event?.kind === "impression" ? event.spot : undefined,
  );
  return [...bySpot.values()].flatMap((group) => {
    const moves = group.flatMap((attempt, index) => {
      const cause = group[index - 1];
      return cause !== undefined && isMove(cause, attempt)
        ? [{ attempt, cause, detail: `${cameAfterText(cause, attempt)} under another session_id` }]
        : [];
    });
    return moves.length === group.length - 1 ? moves : [];
  });
}

interface Session {
  readonly first: number;
  readonly last: number;
}

/** The first and the last impression of each session, by their sequences. */
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
