/** Once the service has refused the key with 401, a client must send nothing that waits in it: no queued event and no call. */

import { MINUTE_MS } from "../../../base/duration.ts";
import type { Session } from "../../session/session.ts";
import {
  type EventTask,
  eventsOf,
  hasWrongEncoding,
  isAcknowledged,
  type SentRequest,
} from "../../session/tasks.ts";
import { must } from "./rule.ts";

/** After so long without a failure no client holds events back. */
const CALM_MS = 10 * MINUTE_MS;

/**
 * Once the key was refused for an event that the client had taken on, it must send no other event with that key. Queries
 * don't count: a driver may join two clients, one for events and one for queries, and each has to learn of the refusal.
 *
 * @throws BrokenRule
 */
export function mustKeepQueueFromRefusedKey(session: Session): void {
  const events = eventsOf(session);
  const accepted = events.filter(({ asks }) =>
    asks.every(({ outcome }) => outcome.kind === "done"),
  );
  const [refusal] = refusalsOf(accepted);
  if (refusal === undefined) return;
  for (const { name, sent } of events) mustNotSend(name, sent.find(isAfter(refusal)));
}

/**
 * If each call fails by itself, it is up to the caller whether to try again. But a call that was made before the refusal
 * arrived, and waited in the client, must not be sent after it. A client that doesn't remember a refusal may go on with
 * calls that it sent before, and with those that wait for the end of a pause: each of them fails by itself. Skipped in real
 * time, where a request may have been under way.
 *
 * @throws BrokenRule
 */
export function mustKeepCallsFromRefusedKey(session: Session): void {
  if (session.sim.clock.mode !== "frozen") return;
  const events = eventsOf(session);
  const [refusal] = refusalsOf(events);
  if (refusal === undefined) return;
  const { refusedMs } = refusal;
  const all = events.flatMap(({ sent }) => sent);
  const remembers = isRemembered(refusal, events);
  for (const { name, sent, asks } of events) {
    const later = sent.find((one, at) => {
      const before = all.filter(({ sequence }) => sequence < one.sequence);
      const hasWaited = !asks.some(({ atMs }) => atMs >= refusedMs && atMs <= one.atMs);
      const worksAgain = before.some(
        (other) => isAcknowledged(other) && (other.attempt.answeredMs ?? 0) >= refusedMs,
      );
      if (!isAfter(refusal)(one) || !hasWaited || worksAgain) return false;
      return remembers || (at === 0 && !before.some(isTrouble));
    });
    mustNotSend(name, later);
  }
}

interface Refusal {
  readonly request: SentRequest;
  /** When the client had the answer. */
  readonly refusedMs: number;
}

/** In the order in which the client learned of them. */
function refusalsOf(events: readonly EventTask[]): Refusal[] {
  return events
    .flatMap(({ sent }) => sent)
    .flatMap((request): Refusal[] => {
      const { outcome, answeredMs: refusedMs } = request.attempt;
      return outcome === "unauthorized" && refusedMs !== undefined ? [{ request, refusedMs }] : [];
    })
    .sort((one, other) => one.refusedMs - other.refusedMs);
}

/** Whether a request was sent with the same key, after the client got the refusal. */
function isAfter({ request, refusedMs }: Refusal): (next: SentRequest) => boolean {
  return ({ atMs, attempt }) =>
    atMs >= refusedMs && atMs > request.atMs && attempt.credentials === request.attempt.credentials;
}

/** Whether the client later failed a call without a request, though only the refusal can have been the reason. */
function isRemembered({ refusedMs }: Refusal, events: readonly EventTask[]): boolean {
  const troubles = events.flatMap(({ sent }) => sent).filter(isTrouble);
  const calmMs = Math.max(refusedMs, ...troubles.map(({ atMs }) => atMs + CALM_MS));
  return events.some(({ asks, sent }) =>
    asks.some(
      ({ atMs, outcome }) =>
        atMs >= calmMs && outcome.kind === "failed" && !sent.some((one) => one.atMs >= atMs),
    ),
  );
}

/** Whether the answer is another than a success or a refusal of the key. */
function isTrouble(sent: SentRequest): boolean {
  return (
    !isAcknowledged(sent) && !hasWrongEncoding(sent) && sent.attempt.outcome !== "unauthorized"
  );
}

/** @throws BrokenRule if there is such a request. */
function mustNotSend(name: string, later: SentRequest | undefined): void {
  must(
    later === undefined,
    () =>
      `The service refused the key with 401. After the client got that answer it sent ${name} with the same key.`,
  );
}
