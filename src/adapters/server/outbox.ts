/**
 * Answers that are ready, written together when a turn of the event loop ends. A client with many requests under way is
 * woken by the first and finds the others; written one by one they would wake it for each: a third of what a report costs.
 */

import { timers } from "./builtins.ts";

/** What has an answer that can be written. */
export interface PendingAnswer {
  writeAnswer(): void;
}

/** What is to be written at the end of this turn. */
export interface Outbox {
  put(ready: PendingAnswer): void;
  /** Writes now what is in it, in the order in which it came. */
  empty(): void;
}

/** It is emptied sooner when it holds so many: the first must not wait for long, and waking for each of these is cheap. */
const MAX_WAITING = 32;

// Taken at once, and not from `globalThis`: fake timers of a test would hold up every answer.
const { setImmediate } = timers;

export function createOutbox(): Outbox {
  let waiting: PendingAnswer[] = [];
  const empty = (): void => {
    if (waiting.length === 0) return;
    const ready = waiting;
    waiting = [];
    for (const one of ready) one.writeAnswer();
  };
  return {
    put(ready) {
      const count = waiting.push(ready);
      if (count === 1) setImmediate(empty);
      else if (count === MAX_WAITING) empty();
    },
    empty,
  };
}
