/** Finds events that the service counted more often than it should. */

import { counted } from "../../../base/counted.ts";
import { dedupWindowOf } from "../../../exchange/operations/time-choices.ts";
import type { Session } from "../../session/session.ts";
import { type EventTask, eventsOf, hasGivenSession } from "../../session/tasks.ts";
import { must, onRecord } from "./rule.ts";

/** @throws BrokenRule @returns how many of the concerned events could have been counted too often. */
export function mustNotDouble(session: Session, concerns: (event: EventTask) => boolean): number {
  let applied = 0;
  for (const event of eventsOf(session)) {
    const { name, operation, sent, recorded } = event;
    const extra = concerns(event) ? extraOf(event, session) : undefined;
    if (extra === undefined) continue;
    must(
      extra.length === 0,
      () => {
        const ids = recorded.map(({ id }) => id).join(", ");
        return `The client reported ${name} in ${counted(sent.length, "request")}, and the service recorded it ${recorded.length} times: ${ids}.`;
      },
      () => onRecord(session, operation, -extra.length),
    );
    applied += 1;
  }
  return applied;
}

/** Whether a fault hit one of its requests, so that it could have been counted twice. */
export function isInDoubt({ sent }: EventTask): boolean {
  return sent.some(({ fault }) => fault !== undefined);
}

/** Whether no fault rule and no request limit affected any request. */
export function wasUndisturbed({ exchanges }: Pick<Session, "exchanges">): boolean {
  return exchanges.every(({ fault, limit }) => fault === undefined && limit === undefined);
}

/** The records that shouldn't exist; undefined if the assumptions give the client no way to prevent them. */
function extraOf(event: EventTask, session: Session): EventTask["recorded"] | undefined {
  const { operation, views, asks, recorded } = event;
  const { assumptions } = session;
  if (operation === "click") {
    // Clicks have no identity: each requested click may count, and each copy by the network. The client caused the others.
    const copies = recorded.filter(({ fault }) => fault?.application === 2).length;
    return recorded.slice(asks.length + copies);
  }
  if (assumptions["dedup.repeat"] === "count") {
    // The service counts every request, and a session id, the spec's only remedy, doesn't help.
    return wasUndisturbed(session) ? recorded.slice(asks.length) : undefined;
  }
  // The spec doesn't say how long a session is remembered, so a repeat after the window is allowed.
  const windowMs = dedupWindowOf(assumptions);
  const tooSoon = recorded.filter(
    ({ atMs }, at) => atMs - (recorded[at - views.length]?.atMs ?? -windowMs) < windowMs,
  );
  return tooSoon.slice(laterViews(event));
}

/** A client that makes its own session ids can't tell a view that is reported again from a new one. */
function laterViews(event: EventTask): number {
  const { views, asks, recorded } = event;
  const sessions = new Set(recorded.map(({ values }) => values.get("session_id")));
  const isTold = hasGivenSession(event) || sessions.has(undefined);
  return isTold || sessions.size < recorded.length ? 0 : asks.length - views.length;
}
