/**
 * Answers that are ready, written together when a turn of the event loop ends. A client with several requests under way
 * is woken by the first and finds the others; answers written one by one would wake it for each, and for a report that
 * takes longer than everything else.
 */

/** What has an answer that can be written. */
export interface Ready {
  writeAnswer(): void;
}

/** What is to be written at the end of this turn. */
export interface Outbox {
  put(ready: Ready): void;
  /** Writes now what is in it, in the order in which it came. */
  empty(): void;
}

/**
 * It is emptied sooner when it holds so many: waking is cheap by then, and what came in one turn must neither wait for long
 * nor fill the memory.
 */
const MOST = 64;

// Taken at once: fake timers of a test would hold up every answer.
const { setImmediate } = globalThis;

export function createOutbox(): Outbox {
  let waiting: Ready[] = [];
  const empty = (): void => {
    const ready = waiting;
    waiting = [];
    for (const one of ready) one.writeAnswer();
  };
  return {
    put(ready) {
      const count = waiting.push(ready);
      if (count === 1) setImmediate(empty);
      else if (count === MOST) empty();
    },
    empty,
  };
}
