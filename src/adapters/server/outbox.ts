/**
 * Collects finished answers and writes them together at the end of a turn of the event loop. The first wakes a client with
 * many pending requests, and it finds the others there. Waking it for each would cost a third of a report.
 */

import { timers } from "./builtins.ts";

export interface PendingAnswer {
  writeAnswer(): void;
}

export interface Outbox {
  put(ready: PendingAnswer): void;
  /** Writes all its answers now, in order. */
  empty(): void;
}

/** With this many answers it is emptied sooner, so that the first doesn't wait long. */
const MAX_WAITING = 32;

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
