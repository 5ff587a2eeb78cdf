/**
 * Traffic in real time as an open model: each request is sent when it is due, whatever happened to earlier ones, and its
 * latency counts from that time. A stalled service sees the same schedule, and every delayed request shows the stall.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { timerMs } from "../../base/drip.ts";
import type { Outgoing } from "../../invariants/client-exchange.ts";
import type { Observer, Punctuality } from "../traffic/order.ts";
import type { Arrival, TrafficSource } from "../traffic/source.ts";
import type { Answer } from "./http-client.ts";
import type { TrafficProgress } from "./target.ts";

export interface RealTraffic {
  readonly source: TrafficSource;
  /** How many times as fast as the source's schedule. */
  readonly speed: number;
  /** Most requests in flight at once. Further ones wait. @default 64 */
  readonly connections?: number | undefined;
  send(outgoing: Outgoing): Promise<Answer>;
  readonly observe: Observer;
  /** Ends the traffic early. */
  readonly signal?: AbortSignal | undefined;
  /** Called a few times a second and at the end. */
  readonly onProgress?: ((progress: TrafficProgress) => void) | undefined;
}

export const CONNECTIONS = 64;
/** A request is late if it is sent more than this long after it was due. */
const LATE_MS = 10;
/** Most requests waiting for a connection. Further ones are dropped: so large a backlog is never worked off. */
export const MAX_WAITING = 100_000;
const PROGRESS_MS = 250;

/** Ends when every request is answered or given up. @throws (as a rejection) errors from sending and observing. */
export async function playRealTraffic(traffic: RealTraffic): Promise<Punctuality> {
  const { source, speed, connections = CONNECTIONS, observe, onProgress, signal } = traffic;
  const startedMs = performance.now();
  /** Due, in order; those before `first` were sent. */
  let waiting: Arrival[] = [];
  let first = 0;
  let [inFlight, sent, ended, late, dropped] = [0, 0, 0, 0, 0];
  let failure: { readonly reason: unknown } | undefined;
  let wake = (): void => undefined;

  const elapsedMs = (): number => performance.now() - startedMs;
  const backlog = (): number => waiting.length - first;

  /** Sends everything that is due by now, or lets it wait for a connection. */
  function sendWhatIsDue(): void {
    while (source.nextDueMs() / speed <= elapsedMs()) {
      const next = source.next();
      if (next === undefined) return;
      // A click follows an answer: it isn't due before that came.
      const dueMs =
        next.operation === "click" ? Math.max(next.dueMs, elapsedMs() * speed) : next.dueMs;
      if (backlog() < MAX_WAITING) waiting.push({ ...next, dueMs });
      else {
        dropped += 1;
        source.answered(next.number, undefined);
      }
      sendWhatWaits();
    }
  }

  function sendWhatWaits(): void {
    for (; inFlight < connections && first < waiting.length; first += 1) {
      const arrival = waiting[first];
      if (arrival !== undefined) void send(arrival);
    }
    if (first * 2 <= waiting.length) return;
    waiting = waiting.slice(first);
    first = 0;
  }

  async function send(arrival: Arrival): Promise<void> {
    const { number, dueMs, operation, request } = arrival;
    if (elapsedMs() - dueMs / speed > LATE_MS) late += 1;
    inFlight += 1;
    sent += 1;
    const atMs = Date.now();
    try {
      const answer = await traffic.send(arrival);
      const latencyMs = elapsedMs() - dueMs / speed;
      if (failure !== undefined) return;
      source.answered(number, answer);
      observe({ ...answer, operation, atMs, request, latencyMs });
    } catch (reason) {
      failure ??= { reason };
    } finally {
      inFlight -= 1;
      ended += 1;
      // The connection is free: the next one needn't wait for the loop.
      if (failure === undefined) sendWhatWaits();
      wake();
    }
  }

  /** Until the next request is due, or an answer came. Timers have a resolution of a millisecond. */
  async function untilSomethingHappens(): Promise<void> {
    const leftMs = source.nextDueMs() / speed - elapsedMs();
    const ending = new AbortController();
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    signal?.addEventListener("abort", () => wake(), { once: true, signal: ending.signal });
    const timer = sleep(timerMs(Math.max(0, leftMs)), undefined, { signal: ending.signal });
    await Promise.race([woken, timer]).finally(() => ending.abort());
    await timer.catch(() => undefined);
  }

  const tell = (): void => onProgress?.({ sent, ended, waiting: backlog(), late, dropped });
  // Also while nothing happens.
  const progress = onProgress && setInterval(tell, PROGRESS_MS);
  try {
    for (;;) {
      sendWhatIsDue();
      const isOver = source.nextDueMs() === Number.POSITIVE_INFINITY;
      if (failure !== undefined || (isOver && inFlight === 0 && backlog() === 0)) break;
      signal?.throwIfAborted();
      await untilSomethingHappens();
    }
  } finally {
    clearInterval(progress);
  }
  if (failure !== undefined) throw failure.reason;
  tell();
  return { late, dropped };
}
