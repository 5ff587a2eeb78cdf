/**
 * Traffic in real time as an open model: requests are sent when they are due, whatever became of those before, and each
 * latency counts from then. A service that stalls sees the same schedule, and its stall shows in every request it delays.
 */

import { timerMs } from "../../base/drip.ts";
import type { ClientExchange, Outgoing } from "../../laws/client-exchange.ts";
import type { Observer, Punctuality } from "../traffic/order.ts";
import type { Arrival, TrafficSource } from "../traffic/source.ts";
import type { Answer } from "./http-client.ts";
import type { TrafficProgress } from "./target.ts";

export interface RealTraffic {
  readonly source: TrafficSource;
  /** How many times as fast as the source's time. */
  readonly speed: number;
  /** How many requests can be on their way at once; others wait. @default 64 */
  readonly connections?: number | undefined;
  send(outgoing: Outgoing): Promise<Answer>;
  readonly observe: Observer;
  /** Is told a few times a second, and at the end. */
  readonly onProgress?: ((progress: TrafficProgress) => void) | undefined;
}

export const CONNECTIONS = 64;
/** A request that is sent this much after it was due is late, in milliseconds. */
const LATE_MS = 10;
/** How many can wait for a connection. Who is so far behind doesn't catch up. */
export const MAX_WAITING = 100_000;
const PROGRESS_MS = 250;

/** Over once every answer is in, or given up. @throws (as a rejection) what sending or observing throws. */
export function playRealTraffic(traffic: RealTraffic): Promise<Punctuality> {
  return new Promise((resolve, reject) => createTrafficLoop(traffic, resolve, reject)());
}

/** Gives what begins it. */
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
      if (next === undefined) throw new Error("What is due isn't there. This is a bug in adsim.");
      if (waiting.length < MAX_WAITING) waiting.push({ ...next });
      else drop(next);
      sendWhatWaits();
    }
  }

  /** A timer may be late, and never wakes us for less than a millisecond: then all that is due is sent at once. */
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

  /** Also while nothing moves. */
  const progressTimer = onProgress && setInterval(() => attempt(reportProgress), PROGRESS_MS);

  function reportProgress(): void {
    onProgress?.({ sent, ended, waiting: waiting.length, late, dropped });
  }

  return run;
}

interface Queue {
  readonly length: number;
  /** It is kept: not the object that serves the next one. */
  push(arrival: Arrival): void;
  shift(): Arrival | undefined;
}

/** First in, first out. Taking the first off a long array would move all others. */
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
