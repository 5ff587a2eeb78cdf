/** A client that takes events on must keep them until a limit is over, even if it gave up on the event that was refused. */

import { TOLERANCE_MS } from "../../../audit/findings/before-retry-after.ts";
import { durationInWords } from "../../../base/duration.ts";
import type { Session } from "../../session/session.ts";
import { eventsOf, isOfLimit } from "../../session/tasks.ts";
import { must } from "./rule.ts";

/**
 * Once a limit refused an event that the client had taken on, no other event that it takes on may be sent before
 * Retry-After is over. If each call fails instead, it is up to the caller when to try again. Skipped in real time, where
 * a request may have been under way.
 *
 * @throws BrokenRule
 */
export function mustHoldQueue(session: Session): void {
  if (session.sim.clock.mode !== "frozen") return;
  const sent = eventsOf(session)
    .filter(({ asks }) => asks.every(({ outcome }) => outcome.kind === "done"))
    .flatMap((event) => event.sent.map((request) => ({ ...request, event })));
  for (const refused of sent) {
    const { answeredMs, retryAtMs } = refused.attempt;
    if (!isOfLimit(refused) || answeredMs === undefined || retryAtMs === undefined) continue;
    // The first one shows it. If it succeeds, the limit is over after all.
    const [next] = sent
      .filter(
        ({ event, operation, atMs }) =>
          event !== refused.event && operation === refused.operation && atMs > answeredMs,
      )
      .sort((one, other) => one.sequence - other.sequence);
    must(
      next === undefined || next.atMs >= retryAtMs - TOLERANCE_MS,
      () =>
        `A limit refused ${refused.event.name}, with a Retry-After of ${durationInWords(retryAtMs - answeredMs)}. The client sent ${next?.event.name} ${durationInWords((next?.atMs ?? 0) - answeredMs)} after that.`,
    );
  }
}
