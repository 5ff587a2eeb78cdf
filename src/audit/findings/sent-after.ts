/** Decides which requests a client sent after it had an answer. Others may have been on their way already. */

import { type Attempt, isTimed } from "./attempt.ts";

/** The longest time that a request takes to arrive. */
const ARRIVAL_MS = 100;
/** The longest interval between requests that were sent in one go. */
const BURST_INTERVAL_MS = 20;
/** Nothing that was sent before the answer arrives later than this after it. */
const BURST_MS = 250;
/** Applies while the clock is frozen. A browser opens this many connections to a host. */
const MAX_IN_FLIGHT = 6;
/** Over more connections requests may wait in the client until one is free. Node's fetch takes turns with two. */
const MAX_CONNECTIONS = 2;

/** Whether the client surely had the answer when it sent `next`. */
export type SentAfter = (next: Attempt) => boolean;

/**
 * Call the function that it returns with every later attempt of the same sender, in order.
 *
 * Over its only connection a client sends nothing before it has the last answer. With each further connection, one request
 * may be on its way, and another one sent before that answer was read. An event that is sent again was answered.
 */
export function sentAfter(answered: Attempt): SentAfter {
  const { answeredMs, requestKey } = answered;
  let inBurst = true;
  let latestMs = answered.record.nowMs;
  let later = 0;

  return (next) => {
    later += 1;
    const connections = Math.max(answered.connections ?? MANY, next.connections ?? MANY);
    const isInTurn = connections <= MAX_CONNECTIONS && later > 2 * (connections - 1);
    const isSure = isInTurn || (next.isOneEvent && next.requestKey === requestKey);
    if (!isTimed(answered, next)) return isSure || later > MAX_IN_FLIGHT;
    const { nowMs } = next.record;
    const sinceMs = nowMs - (answeredMs ?? MANY);
    inBurst &&= nowMs - latestMs <= BURST_INTERVAL_MS && sinceMs <= BURST_MS;
    latestMs = nowMs;
    return sinceMs >= 0 && (isSure || (!inBurst && sinceMs > ARRIVAL_MS));
  };
}

const MANY = Number.POSITIVE_INFINITY;
