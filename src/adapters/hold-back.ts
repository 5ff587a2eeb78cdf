/**
 * Holds a response back as its delivery says: for a time, or until later responses have overtaken it. The transports share
 * this code, but each counts its own responses. A response is dropped if its client leaves.
 */

import { timerMs } from "../base/drip.ts";
import type { Delivery } from "../spec/delivery.ts";

/** Timers for deliveries: the machine's, or those of virtual time. `Id` identifies a timer. */
export interface Timers<Id = unknown> {
  setTimeout(run: () => void, ms: number): Id;
  clearTimeout(timer: Id | undefined): void;
}

/** Looks the functions up at each call, so that a test's fake timers work. */
export const globalTimers: Timers<ReturnType<typeof setTimeout>> = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer),
};

/** A response that may have to wait. */
export interface Waiting {
  readonly timers: Timers;
  /** Stops the waiting; undefined if it isn't waiting here. */
  stopWaiting: (() => void) | undefined;
}

/** Calls `then` when the response may be handed over. */
export function holdBack(
  waiting: Waiting,
  delivery: Delivery,
  { overtaking, place }: { readonly overtaking: Overtaking; readonly place: QueuePlace },
  then: () => void,
): void {
  const inTime = (): void => {
    if (delivery.kind !== "overtaken") {
      then();
      return;
    }
    const { timers } = waiting;
    const stop = (): void => {
      waiting.stopWaiting = undefined;
      timers.clearTimeout(timer);
      leave();
    };
    const go = (): void => {
      stop();
      then();
    };
    const leave = overtaking.wait(place, delivery.by, go);
    const timer = timers.setTimeout(go, timerMs(delivery.atMostMs));
    waiting.stopWaiting = stop;
  };
  if (delivery.delayMs === 0) inTime();
  else pause(waiting, delivery.delayMs, inTime);
}

export function pause(waiting: Waiting, ms: number, then: () => void): void {
  const { timers } = waiting;
  const timer = timers.setTimeout(() => {
    waiting.stopWaiting = undefined;
    then();
  }, timerMs(ms));
  waiting.stopWaiting = () => {
    waiting.stopWaiting = undefined;
    timers.clearTimeout(timer);
  };
}

/** A response's place among those of its transport. */
export interface QueuePlace {
  /** Only responses of the same world can overtake it. */
  readonly world: string;
  /** Higher is later. A response that no rule touched is later than all that wait. */
  readonly order: number;
}

/** Counts handed-over responses for those that wait to be overtaken. */
export interface Overtaking {
  /** Whether no response waits. Then calls of `handedOver` aren't necessary. */
  readonly isIdle: boolean;
  /** The order of the next response. */
  nextOrder(): number;
  /** Calls `go` once `by` later responses were handed over. @returns a function that gives up waiting. */
  wait(place: QueuePlace, by: number, go: () => void): () => void;
  handedOver(place: QueuePlace): void;
}

/** The order of a response that no rule touched. */
export const LATEST_ORDER = Number.POSITIVE_INFINITY;

interface Overtakable {
  readonly place: QueuePlace;
  left: number;
  readonly go: () => void;
}

export function createOvertaking(): Overtaking {
  const waiting = new Set<Overtakable>();
  let order = 0;
  return {
    get isIdle(): boolean {
      return waiting.size === 0;
    },
    nextOrder() {
      order += 1;
      return order;
    },
    wait(place, by, go) {
      const one: Overtakable = { place, left: by, go };
      waiting.add(one);
      return () => waiting.delete(one);
    },
    handedOver(later) {
      for (const one of waiting) {
        if (!overtakes(later, one.place)) continue;
        one.left -= 1;
        if (one.left > 0) continue;
        waiting.delete(one);
        one.go();
      }
    },
  };
}

function overtakes(later: QueuePlace, place: QueuePlace): boolean {
  return later.order > place.order && later.world === place.world;
}
