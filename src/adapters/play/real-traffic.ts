/**
 * Traffic in real time as an open model: requests are sent when they are due, whatever became of those before, and each
 * latency counts from then. A service that stalls sees the same schedule, and its stall shows in every request it delays.
 */

import type { Exchange, Observer, Outgoing, Punctuality } from "../../scenario/player/effects.ts";
import type { TrafficSource } from "../../scenario/traffic/source.ts";
import { timerMs } from "../pace.ts";
import type { Answer } from "./http-client.ts";
import { createLookAhead, type Planned } from "./look-ahead.ts";
import type { TrafficProgress } from "./target.ts";
import { successOf } from "./virtual-traffic.ts";

export interface RealTraffic {
  readonly source: TrafficSource;
  readonly timeoutMs: number;
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
export const MOST_WAITING = 100_000;
const PROGRESS_MS = 250;

/** Over once every answer is in, or given up. @throws (as a rejection) what sending or observing throws. */
export function playRealTraffic(traffic: RealTraffic): Promise<Punctuality> {
  return new Promise((resolve, reject) => createScheduler(traffic, resolve, reject)());
}

/** Gives what begins it. */
function createScheduler(
  traffic: RealTraffic,
  resolve: (punctuality: Punctuality) => void,
  reject: (reason: unknown) => void,
): () => void {
  const { source, speed, connections = CONNECTIONS, onProgress } = traffic;
  const startedMs = performance.now();
  const ahead = createLookAhead(source);
  const waiting = createQueue();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let armedMs = Number.POSITIVE_INFINITY;
  let onTheirWay = 0;
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
    for (let next = ahead.next(); !isOver; next = ahead.next()) {
      const leftMs = next === undefined ? 0 : next.dueMs / speed - elapsedMs();
      if (next === undefined || leftMs > 0) {
        if (next === undefined) finishIfDone();
        else arm(next.dueMs / speed, leftMs);
        return;
      }
      ahead.take();
      if (waiting.length < MOST_WAITING) waiting.push(next);
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
    while (onTheirWay < connections) {
      const next = waiting.shift();
      if (next === undefined) return;
      send(next);
    }
  }

  function send(planned: Planned): void {
    const { operation, request } = planned;
    if (elapsedMs() - planned.dueMs / speed > LATE_MS) late += 1;
    onTheirWay += 1;
    sent += 1;
    const atMs = Date.now();
    traffic
      .send({ operation, request, timeoutMs: traffic.timeoutMs })
      .then((answer) => answered(planned, atMs, answer))
      .catch(fail);
  }

  function answered(planned: Planned, atMs: number, answer: Answer): void {
    if (isOver) return;
    const { number, dueMs, operation, request } = planned;
    const latencyMs = elapsedMs() - dueMs / speed;
    onTheirWay -= 1;
    ended += 1;
    sendWhatWaits();
    ahead.answered(number, successOf(answer));
    const { outcome, status, headers, text } = answer;
    const exchange: Exchange = {
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

  function drop({ number }: Planned): void {
    dropped += 1;
    ahead.answered(number, undefined);
  }

  function finishIfDone(): void {
    if (onTheirWay > 0 || waiting.length > 0) return;
    end();
    tell();
    resolve({ late, dropped });
  }

  function fail(reason: unknown): void {
    end();
    reject(reason);
  }

  function end(): void {
    isOver = true;
    clearTimeout(timer);
    clearInterval(teller);
  }

  /** Also while nothing moves. */
  const teller = onProgress && setInterval(() => attempt(tell), PROGRESS_MS);

  function tell(): void {
    onProgress?.({ sent, ended, waiting: waiting.length, late, dropped });
  }

  return run;
}

interface Queue {
  readonly length: number;
  push(planned: Planned): void;
  shift(): Planned | undefined;
}

/** First in, first out. Taking the first off a long array would move all others. */
function createQueue(): Queue {
  let items: (Planned | undefined)[] = [];
  let first = 0;
  return {
    get length() {
      return items.length - first;
    },
    push(planned) {
      items.push(planned);
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
