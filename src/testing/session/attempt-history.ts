/**
 * Turns a session into input for the findings of the client report. A session knows which command each request was for.
 * The report itself has only the requests, and says nothing if that isn't enough.
 */

import type { Attempt, AttemptHistory } from "../../audit/findings/attempts.ts";
import { sentAfter } from "../../audit/in-flight.ts";
import { memberOf } from "../../base/parse-json.ts";
import { type PerformedCommand, performedCommandsOf } from "./performed-commands.ts";
import type { Outcome, Session, Step } from "./session.ts";
import { type EventTask, eventsOf, queriesOf, sentBy, type Task } from "./tasks.ts";

/** Leaves out what others sent with the same key. */
export function attemptHistoryOf(session: Session): AttemptHistory {
  const sent = sentBy(session);
  const tasks = [...eventsOf(session, sent), ...queriesOf(session, sent)];
  const places = new Map(
    tasks.flatMap((task, place) => task.sent.map(({ attempt }) => [attempt, place])),
  );
  const taskOf = new Map<Attempt, Task>();
  const attempts = sent.map(({ attempt, stepIndex }): Attempt => {
    const place = places.get(attempt);
    const task = place === undefined ? undefined : tasks[place];
    const isOneEvent = task?.asks.length === 1;
    const known = {
      ...attempt,
      step: stepIndex,
      isOneEvent,
      requestKey: `${attempt.requestKey}\n${place}`,
      event: eventOfTask(attempt, task, place),
    };
    if (task !== undefined) taskOf.set(known, task);
    return known;
  });
  const isRepeat = (before: Attempt, next: Attempt): boolean =>
    next.isOneEvent && taskOf.get(before) === taskOf.get(next);
  const asked = performedCommandsOf(session);
  const asksOf = (attempt: Attempt): readonly PerformedCommand[] =>
    taskOf.get(attempt)?.asks ?? asked.filter(({ at }) => at === attempt.step);

  /** Indexes of the steps in which the client reported this failure, or a flush or close reported any. */
  const reportedIn = (failed: Attempt): number[] => {
    const reports = session.steps.flatMap(({ parts, ...step }, at) =>
      (parts ?? [step]).flatMap(({ command, outcome }) =>
        hasUndelivered(command.kind, outcome) ? [at] : [],
      ),
    );
    const asks = asksOf(failed).filter(({ outcome }) => outcome.kind === "failed");
    return [...asks.map(({ at }) => at), ...reports].filter((at) => at >= (failed.step ?? 0));
  };

  return {
    attempts,
    earlier: () => [],
    sentAfter: (answered) => {
      const isSentAfter = sentAfter(answered);
      return (next) => {
        const inRealTime = session.sim.clock.mode !== "frozen";
        // A request takes its time to arrive. Only a repeat certainly came after the answer.
        if (inRealTime && !isRepeat(answered, next)) return isSentAfter(next);
        const sinceMs = next.record.nowMs - (answered.answeredMs ?? Number.POSITIVE_INFINITY);
        if (sinceMs !== 0) return sinceMs > 0;
        // In the same millisecond, a later step also came after it.
        return isRepeat(answered, next) || (next.step ?? 0) > (answered.step ?? 0);
      };
    },
    isReportedToCaller: (failed) => reportedIn(failed).length > 0,
    isRequestedAgain: (failed, next) =>
      !isRepeat(failed, next) &&
      reportedIn(failed).some((place) =>
        // What was asked for at the same time wasn't sent because of the failure.
        asksOf(next).some(({ at, together }) => at > place || (together && at === place)),
      ),
  };
}

/** Two views of an ad on a surface are two events, even if the second comes soon after the first. */
function eventOfTask(
  { event, sequence }: Attempt,
  task: Task | EventTask | undefined,
  place: number | undefined,
): Attempt["event"] {
  if (event?.kind !== "impression" || task === undefined) return event;
  const isOneView = !("views" in task) || task.views.length === 1;
  return { ...event, spot: `${event.spot}\n${isOneView ? place : sequence}` };
}

function hasUndelivered(kind: Step["command"]["kind"], outcome: Outcome): boolean {
  if (kind !== "flush" && kind !== "close") return false;
  const value = outcome.kind === "done" ? outcome.value : undefined;
  const counts = [memberOf(value, "impressions"), memberOf(value, "clicks")];
  return outcome.kind === "failed" || counts.some((count) => Number(count) > 0);
}
