/**
 * Sends traffic. At a target whose clock the play moves, one request after the other, each at its due time on that clock. In real
 * time as an open model: each request is sent when it is due, whatever happened to earlier ones, and its latency counts from that
 * time. A stalled service sees the same schedule, and every delayed request shows the stall.
 */

import { timerMs } from "../../base/drip.ts";
import { durationMs } from "../../base/duration.ts";
import {
  type Arrival,
  createTrafficSource,
  type Punctuality,
  type TrafficOrder,
} from "../traffic/source.ts";
import type { Target, TargetOptions } from "./target.ts";
import type { Turns } from "./turns.ts";

interface ClockTraffic extends Pick<Target, "send" | "wait"> {
  readonly turns: Turns;
}

export async function playClockTraffic(
  order: TrafficOrder,
  { send, wait, turns }: ClockTraffic,
): Promise<Punctuality> {
  const source = createTrafficSource(order);
  let passedMs = 0;

  async function passUntil(ms: number): Promise<void> {
    if (ms <= passedMs) return;
    await wait(ms - passedMs);
    passedMs = ms;
  }
  for (let arrival = source.next(); arrival !== undefined; arrival = source.next()) {
    await passUntil(arrival.dueMs);
    const exchange = await send(arrival);
    arrival.answered(exchange);
    order.observe(exchange);
    await turns();
  }
  await passUntil(durationMs(order.traffic.for));
  return { late: 0, dropped: 0 };
}

interface RealTraffic extends Pick<Target, "send">, Pick<TargetOptions, "signal"> {
  /** How many times as fast as the schedule. */
  readonly speed: number;
  /** Most requests waiting for a connection. Further ones are dropped: so large a backlog is never worked off. @default 100000 */
  readonly maxWaiting?: number;
}

/** Most requests in flight at once. Further ones wait. */
export const CONNECTIONS = 64;
/** A request is late if it is sent more than this long after it was due. */
const LATE_MS = 10;

/** Ends when every request is answered or given up. @throws (as a rejection) errors from sending and observing. */
export async function playRealTraffic(
  order: TrafficOrder,
  { speed, signal, maxWaiting = 100_000, ...target }: RealTraffic,
): Promise<Punctuality> {
  const source = createTrafficSource(order);
  const endMs = durationMs(order.traffic.for) / speed;
  const startedMs = performance.now();
  const elapsedMs = (): number => performance.now() - startedMs;
  /** Due, in order. */
  const waiting: Arrival[] = [];
  let [inFlight, late, dropped] = [0, 0, 0];
  let failure: unknown;
  let wake = (): void => undefined;

  /** Sends everything that is due by now, or lets it wait for a connection. */
  function sendWhatIsDue(): void {
    while (source.nextDueMs() / speed <= elapsedMs()) {
      const next = source.next();
      if (next === undefined) return;
      // A click follows an answer: it isn't due before that came.
      const dueMs =
        next.operation === "click" ? Math.max(next.dueMs, elapsedMs() * speed) : next.dueMs;
      if (waiting.length < maxWaiting) waiting.push({ ...next, dueMs });
      else dropped += 1;
      sendWhatWaits();
    }
  }

  function sendWhatWaits(): void {
    while (inFlight < CONNECTIONS) {
      const arrival = waiting.shift();
      if (arrival === undefined) return;
      inFlight += 1;
      send(arrival).catch((reason: unknown) => {
        failure = reason;
        wake();
      });
    }
  }

  async function send(arrival: Arrival): Promise<void> {
    const sinceDueMs = (): number => elapsedMs() - arrival.dueMs / speed;
    if (sinceDueMs() > LATE_MS) late += 1;
    const exchange = await target.send(arrival);
    const latencyMs = sinceDueMs();
    arrival.answered(exchange);
    order.observe({ ...exchange, latencyMs });
    inFlight -= 1;
    // The connection is free: the next one needn't wait for the loop.
    sendWhatWaits();
    wake();
  }

  /** Until then, or until an answer came. Timers have a resolution of a millisecond. */
  function untilAtMost(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timerMs(Math.max(0, ms - elapsedMs())));
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  const stop = (): void => wake();
  signal?.addEventListener("abort", stop);
  try {
    for (;;) {
      sendWhatIsDue();
      const nextMs = source.nextDueMs() / speed;
      const isOver = nextMs === Number.POSITIVE_INFINITY && inFlight === 0 && waiting.length === 0;
      if (isOver && elapsedMs() >= endMs) return { late, dropped };
      await untilAtMost(isOver ? endMs : nextMs);
      signal?.throwIfAborted();
      if (failure !== undefined) throw failure;
    }
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}
