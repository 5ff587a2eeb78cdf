/**
 * Traffic seen far enough ahead to know when the next request is due. A source gives arrivals in order, but an answer can
 * bring a click that is due before what was taken from it already.
 */

import type { Arrival, TrafficSource } from "../../scenario/traffic/source.ts";

/** An arrival that may be kept. */
export type Planned = Pick<Arrival, "number" | "dueMs" | "operation" | "request">;

export interface LookAhead {
  /** The next one; undefined where nothing comes of what is answered so far. */
  next(): Planned | undefined;
  /** Takes that one. */
  take(): void;
  /** As the source has it. */
  answered(number: number, success: string | undefined): void;
}

export function createLookAhead(source: TrafficSource): LookAhead {
  // In the order of time. All that the source still holds is due no earlier than the last of these.
  const planned: Planned[] = [];

  function pull(): void {
    const arrival = source.next();
    if (arrival === undefined) return;
    const { number, dueMs, operation, request } = arrival;
    let place = planned.length;
    while (place > 0 && (planned[place - 1]?.dueMs ?? 0) > dueMs) place -= 1;
    planned.splice(place, 0, { number, dueMs, operation, request });
  }

  return {
    next() {
      if (planned.length === 0) pull();
      return planned[0];
    },
    take() {
      planned.shift();
    },
    answered(number, success) {
      source.answered(number, success);
      // It may have brought one click. The source gives its earliest: if that isn't it, then it is due later than this.
      if (success !== undefined && planned.length > 0) pull();
    },
  };
}
