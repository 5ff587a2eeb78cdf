/**
 * Keeps the limits out of the way of a measurement, on a machine of any speed: the server's clock goes on with every request
 * instead of with real time.
 */

export const CONNECTIONS = 32;
/** How many keys take turns. Impressions: as many as the server has publishers by default. Stats: only 60 a minute each. */
export const CALLERS = { impression: 25, stats: 400 } as const;
/**
 * Every look at the clock moves it by so much, and every request looks. So a minute has at most 6,000 requests: 15 of each of
 * 400 keys, and one more for each connection, since those need not keep step. Between runs the clock is moved by hand.
 */
const STEP_MS = 10;

/** A clock ahead of this one by all the looks at it. */
export function hurried(wallClock: () => number): () => number {
  let aheadMs = 0;
  return () => {
    aheadMs += STEP_MS;
    return wallClock() + aheadMs;
  };
}
