/**
 * A client's life as the findings of the client report judge it: each attempt with what is known here of who asked for it.
 * A report must guess that from the requests; so it says nothing where this may accuse, and never the other way round.
 */

import { type Attempt, attemptsOf, type Stretch } from "../../audit/attempts.ts";
import type { Journal, JournalRing } from "../../journal/journal.ts";
import { type Asked, askedOf } from "./asked.ts";
import type { Session } from "./session.ts";
import { eventsOf, questionsOf, type Task } from "./tasks.ts";
import { memberOf } from "./wire.ts";

/** Without what others sent with the same key. */
export function stretchOf(session: Session): Stretch {
  const { sim, steps } = session;
  const tasks = [...eventsOf(session), ...questionsOf(session)];
  const placeOf = new Map(
    tasks.flatMap(({ sent }, place) => sent.map(({ sequence }) => [sequence, place])),
  );
  const stepOf = new Map(
    steps.flatMap(({ exchanges }, step) => exchanges.map(({ sequence }) => [sequence, step])),
  );
  const taskOf = new Map<Attempt, Task>();
  const attempts = attemptsOf(recordsOf(sim.journal), []).flatMap((attempt): Attempt[] => {
    const step = stepOf.get(attempt.sequence);
    if (step === undefined) return [];
    // A copy whose answer the client saw stands for the request before it.
    const isCopy = attempt.record.fault?.application === 2;
    const place = placeOf.get(attempt.sequence - (isCopy ? 1 : 0));
    const task = place === undefined ? undefined : tasks[place];
    const isOneEvent = task?.asks.length === 1;
    const known = { ...attempt, step, isOneEvent, same: `${attempt.same}\n${place}`, timeline: 0 };
    if (task !== undefined) taskOf.set(known, task);
    return [known];
  });
  const isRepeat = (before: Attempt, next: Attempt): boolean =>
    next.isOneEvent && taskOf.get(before) === taskOf.get(next);
  const asked = askedOf(session);
  const asksOf = (attempt: Attempt): readonly Asked[] =>
    taskOf.get(attempt)?.asks ?? asked.filter(({ at }) => at === attempt.step);

  return {
    attempts,
    earlier: () => [],
    sentAfter: (answered) => (next) => {
      const sinceMs = next.record.nowMs - (answered.answeredMs ?? Number.POSITIVE_INFINITY);
      if (sinceMs !== 0) return sinceMs > 0;
      // Of one millisecond it is sure only of what follows from the answer, and of a later step.
      return isRepeat(answered, next) || (next.step ?? 0) > (answered.step ?? 0);
    },
    isAskedAnew(failed, next) {
      if (isRepeat(failed, next)) return false;
      const flushes = asked.filter(({ command }) => command.kind === "flush");
      const told = [...asksOf(failed), ...flushes].filter(
        (ask) => ask.at >= (failed.step ?? 0) && isFailure(ask),
      );
      return told.some(({ at }) => asksOf(next).some((ask) => ask.at > at));
    },
  };
}

/** Whether the client says that it failed: a flush may resolve with how much it couldn't deliver. */
function isFailure({ command, outcome }: Asked): boolean {
  if (command.kind !== "flush" || outcome.kind !== "done") return outcome.kind === "failed";
  const { value } = outcome;
  return [memberOf(value, "impressions"), memberOf(value, "clicks")].some(
    (undelivered) => Number(undelivered) > 0,
  );
}

/** The journal of any simulator has whole records, though its users see entries. */
function recordsOf(journal: Journal): ReturnType<JournalRing["records"]> {
  if (!isRing(journal)) throw new TypeError("A session needs a simulator of this package.");
  return journal.records();
}

function isRing(journal: Journal): journal is JournalRing {
  return "records" in journal;
}
