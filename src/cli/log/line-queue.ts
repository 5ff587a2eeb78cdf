/** Queues lines for a slow reader. If the queue is full, further lines are dropped and counted. */

import type { Sink } from "./sink.ts";

export interface LineQueue {
  add(line: string): void;
  /** Writes the remaining lines, within a short time. @returns whether all were written. */
  end(): Promise<boolean>;
}

/** The most characters in the queue. A line has a few hundred. */
const MAX_CHARACTERS = 1_000_000;
/** How long a reader may take at the end, in milliseconds. */
const DRAIN_TIMEOUT_MS = 200;

/** `dropped` makes the line that says how many were dropped. */
export function createLineQueue(sink: Sink, dropped: (count: number) => string): LineQueue {
  let waiting: string[] = [];
  let characters = 0;
  let lost = 0;
  let isScheduled = false;
  let whenDone: (() => void) | undefined;

  function schedule(later: (flush: () => void) => void): void {
    isScheduled = true;
    later(() => {
      isScheduled = false;
      flush();
    });
  }

  function flush(): void {
    if (waiting.length > 0 && sink.isReady()) {
      const lines = lost === 0 ? waiting : [...waiting, dropped(lost)];
      waiting = [];
      characters = 0;
      lost = 0;
      sink.write(`${lines.join("\n")}\n`);
    }
    if (!sink.isReady()) schedule(sink.whenReady);
    else if (waiting.length === 0) whenDone?.();
  }

  return {
    add(line) {
      if (characters + line.length > MAX_CHARACTERS) lost += 1;
      else {
        waiting.push(line);
        characters += line.length;
      }
      // All lines of one turn of the event loop are written together.
      if (!isScheduled) schedule(setImmediate);
    },
    end() {
      return new Promise((resolve) => {
        const timer = setTimeout(() => resolve(false), DRAIN_TIMEOUT_MS);
        whenDone = () => {
          clearTimeout(timer);
          resolve(true);
        };
        if (!isScheduled) flush();
      });
    },
  };
}
