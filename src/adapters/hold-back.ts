/**
 * Holds a response back for as long as its delivery says: for a time, or until later ones have overtaken it. Shared by the
 * transports; each counts its own. What waits is given up where the client goes.
 */

import { timerMs } from "../base/drip.ts";
import type { Delivery } from "../spec/delivery.ts";

/** Where deliveries get their timers: the machine's, unless somebody lets time pass for them. `Id`: what one is known by. */
export interface Timers<Id = unknown> {
  setTimeout(act: () => void, ms: number): Id;
  clearTimeout(timer: Id | undefined): void;
}

/** Looked up when they are needed, so that a test's fake ones count. */
export const globalTimers: Timers<ReturnType<typeof setTimeout>> = {
  setTimeout: (act, ms) => setTimeout(act, ms),
  clearTimeout: (timer) => clearTimeout(timer),
};

/** A response that may have to wait. */
export interface Waiting {
  readonly timers: Timers;
  /** What gives up its waiting; undefined while it isn't waiting for anything of ours. */
  stopWaiting: (() => void) | undefined;
}

/** Waits before anything of a response is handed over. */
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
  /** Responses of another world don't overtake it: worlds don't know of each other. */
  readonly world: string;
  /** Which comes later. One that no rule touched is later than all that wait. */
  readonly order: number;
}

/** What counts what is handed over, for those that wait. */
export interface Overtaking {
  /** Whether nothing waits. Then it need not be told of what is handed over. */
  readonly isIdle: boolean;
  /** The order of the response that is decided now. */
  nextOrder(): number;
  /** Calls `go` once `by` later responses were handed over. @returns a function that gives up waiting. */
  wait(place: QueuePlace, by: number, go: () => void): () => void;
  handedOver(place: QueuePlace): void;
}

/** The order of a response that no rule touched: while any waits, it is handed over as soon as it is decided. */
export const LATEST_ORDER: number = Number.POSITIVE_INFINITY;

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
