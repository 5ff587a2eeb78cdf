/** Holds a response back for as long as its delivery says. What waits is given up where the client goes. */

import { timerMs } from "../base/pace.ts";
import type { Delivery } from "../spec/delivery.ts";
import type { Overtaking, Place } from "./overtaking.ts";

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
  { overtaking, place }: { readonly overtaking: Overtaking; readonly place: Place },
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
