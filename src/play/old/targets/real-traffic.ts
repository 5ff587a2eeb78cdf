/**
 * Traffic in real time as an open model: each request is sent when it is due, whatever happened to earlier ones, and its
 * latency counts from that time. A stalled service sees the same schedule, and every delayed request shows the stall.
 */

import { assert } from "../../../base/assert.ts";
import { timerMs } from "../../../base/drip.ts";
import type { ClientExchange, Outgoing } from "../../../invariants/client-exchange.ts";
import type { Observer, Punctuality } from "../../traffic/order.ts";
import type { Arrival, TrafficSource } from "../../traffic/source.ts";
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
  /** Called a few times a second and at the end. */
  readonly onProgress?: ((progress: TrafficProgress) => void) | undefined;
}

export const CONNECTIONS = 64;
/** A request is late if it is sent more than this long after it was due. */
export const LATE_MS = 10;
/** Most requests waiting for a connection. Further ones are dropped: so large a backlog is never worked off. */
export const MAX_WAITING = 100_000;
const PROGRESS_MS = 250;

/** Ends when every request is answered or given up. @throws (as a rejection) errors from sending and observing. */
export function playRealTraffic(traffic: RealTraffic): Promise<Punctuality> {
  return new Promise((resolve, reject) => createTrafficLoop(traffic, resolve, reject)());
}

/** Returns the function that starts the loop. */
function createTrafficLoop(
  traffic: RealTraffic,
  resolve: (punctuality: Punctuality) => void,
  reject: (reason: unknown) => void,
): () => void {
  const { source, speed, connections = CONNECTIONS, onProgress } = traffic;
  const startedMs = performance.now();
  const waiting = createQueue();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let armedMs = Number.POSITIVE_INFINITY;
  let inFlight = 0;
  let sent = 0;
  let ended = 0;
  let late = 0;
  let dropped = 0;
  let isOver = false;

  const elapsedMs = (): number => performance.now() - startedMs;

  function run(): void {
    attempt(offerWhatIsDue);
  }

  function attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      fail(error);
    }
  }

  function offerWhatIsDue(): void {
    while (!isOver) {
      const dueMs = source.nextDueMs() / speed;
      const leftMs = dueMs - elapsedMs();
      if (leftMs > 0) {
        if (dueMs === Number.POSITIVE_INFINITY) finishIfDone();
        else arm(dueMs, leftMs);
        return;
      }
      const next = source.next();
      assert(next !== undefined, "A due request is missing.");
      if (waiting.length < MAX_WAITING) waiting.push({ ...next });
      else drop(next);
      sendWhatWaits();
    }
  }

  /** Timers may fire late and have a resolution of a millisecond. When one fires, everything due is sent at once. */
  function arm(dueMs: number, leftMs: number): void {
    if (dueMs >= armedMs) return;
    clearTimeout(timer);
    armedMs = dueMs;
    timer = setTimeout(() => {
      armedMs = Number.POSITIVE_INFINITY;
      run();
    }, timerMs(leftMs));
  }

  function sendWhatWaits(): void {
    while (inFlight < connections) {
      const next = waiting.shift();
      if (next === undefined) return;
      send(next);
    }
  }

  function send(arrival: Arrival): void {
    if (elapsedMs() - arrival.dueMs / speed > LATE_MS) late += 1;
    inFlight += 1;
    sent += 1;
    const atMs = Date.now();
    traffic
      .send(arrival)
      .then((answer) => answered(arrival, atMs, answer))
      .catch(fail);
  }

  function answered(arrival: Arrival, atMs: number, answer: Answer): void {
    if (isOver) return;
    const { number, dueMs, operation, request } = arrival;
    const latencyMs = elapsedMs() - dueMs / speed;
    inFlight -= 1;
    ended += 1;
    sendWhatWaits();
    source.answered(number, answer);
    const { outcome, status, headers, text } = answer;
    const exchange: ClientExchange = {
      operation,
      atMs,
      request,
      outcome,
      status,
      headers,
      text,
      latencyMs,
    };
    traffic.observe(exchange);
    run();
  }

  function drop({ number }: Arrival): void {
    dropped += 1;
    source.answered(number, undefined);
  }

  function finishIfDone(): void {
    if (inFlight > 0 || waiting.length > 0) return;
    end();
    reportProgress();
    resolve({ late, dropped });
  }

  function fail(reason: unknown): void {
    end();
    reject(reason);
  }

  function end(): void {
    isOver = true;
    clearTimeout(timer);
    clearInterval(progressTimer);
  }

  /** Reports also while nothing happens. */
  const progressTimer = onProgress && setInterval(() => attempt(reportProgress), PROGRESS_MS);

  function reportProgress(): void {
    onProgress?.({ sent, ended, waiting: waiting.length, late, dropped });
  }

  return run;
}

interface Queue {
  readonly length: number;
  /** The queue keeps the object, so it must not be reused for the next arrival. */
  push(arrival: Arrival): void;
  shift(): Arrival | undefined;
}

/** First in, first out. `Array.shift` would move all other elements of a long array. */
function createQueue(): Queue {
  let items: (Arrival | undefined)[] = [];
  let first = 0;
  return {
    get length() {
      return items.length - first;
    },
    push(arrival) {
      items.push(arrival);
    },
    shift() {
      const item = items[first];
      if (item === undefined) return undefined;
      items[first] = undefined;
      first += 1;
      if (first * 2 > items.length) {
        items = items.slice(first);
        first = 0;
      }
      return item;
    },
  };
}
