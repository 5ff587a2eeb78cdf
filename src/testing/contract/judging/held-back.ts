/**
 * Whether a client waits as long as an answer tells it to.
 *
 * The wait concerns what the refused request was for, and by the service's own word more: what was refused by the same limit.
 * A client that hands the refusal to who asked has left the waiting to them; so what they ask after that is not held against
 * it. Whatever it sends of its own accord is: repeats, and what it took on before.
 */

import {
  type Attempt,
  answeredMs,
  eventsOf,
  questionsOf,
  type Sent,
} from "../../session/attempts.ts";
import type { Session } from "../../session/session.ts";
import { must } from "../rule.ts";
import { waitUntilMs } from "./waits.ts";

/** A client's timer may ring a little early where time is real. */
const TOLERANCE_MS = 50;

/** A request and what it was for. */
interface Owned {
  readonly sent: Sent;
  readonly attempt: Attempt;
}

/** @throws BrokenRule @returns how often it was told to wait. */
export function mustWaitAsTold(session: Session): number {
  const attempts: Attempt[] = [...eventsOf(session), ...questionsOf(session)];
  const all = attempts
    .flatMap((attempt) => attempt.sent.map((sent): Owned => ({ sent, attempt })))
    .toSorted((left, right) => left.sent.sequence - right.sent.sequence);
  let applied = 0;
  for (const [at, told] of all.entries()) {
    const untilMs = waitUntilMs(told.sent);
    if (untilMs === undefined || untilMs <= answeredMs(told.sent)) continue;
    applied += 1;
    const early = all
      .slice(at + 1)
      .find(
        (next) =>
          next.sent.atMs < untilMs - TOLERANCE_MS &&
          concerns(told, next) &&
          isSentAfter(told, next) &&
          !isLeftToCaller(told, next),
      );
    must(early === undefined, () => {
      const { got } = told.sent;
      const hint = got.headers["retry-after"];
      const after = (early?.sent.atMs ?? 0) - answeredMs(told.sent);
      return (
        `A request for ${told.attempt.name} got ${got.status} with Retry-After: ${hint}. ` +
        `${after} ms later the client sent one for ${early?.attempt.name}.`
      );
    });
  }
  return applied;
}

function concerns(told: Owned, next: Owned): boolean {
  const isSame = told.attempt.operation === next.attempt.operation;
  // `limit.recording-pool` and `limit.reporting-endpoints` say what is counted together. A client can't know; but it was refused.
  return isSame || (told.sent.limit !== undefined && next.sent.limit === told.sent.limit);
}

/** Whether it surely was sent when the answer had come: of one millisecond only what follows from it, or a later step. */
function isSentAfter(told: Owned, next: Owned): boolean {
  const sinceMs = next.sent.atMs - answeredMs(told.sent);
  if (sinceMs !== 0) return sinceMs > 0;
  const isRepeat = told.attempt === next.attempt && told.attempt.asks.length === 1;
  return isRepeat || next.sent.during > told.sent.during;
}

/** Whether it was first asked when the client had said that the refused one failed. */
function isLeftToCaller(told: Owned, next: Owned): boolean {
  if (told.attempt === next.attempt && next.attempt.asks.length === 1) return false;
  const handedOver = told.attempt.asks.some(
    ({ outcome, at }) =>
      outcome.kind === "failed" &&
      at >= told.sent.during &&
      next.attempt.asks.some((ask) => ask.at > at),
  );
  return handedOver;
}
