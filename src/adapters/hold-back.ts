/**
 * Holds a response back as its delivery says: for a time, or until later responses have overtaken it. The transports share
 * this code, but each counts its own responses.
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

/** Whom a response is held back from. */
export interface Client {
  /** Aborted when it leaves. */
  readonly signal: AbortSignal | undefined;
  /** @default the machine's */
  readonly timers?: Timers | undefined;
}

/** Resolves after a time, or when `wake` is called. Rejects with the signal's reason if that comes first. */
export function pause(
  ms: number,
  { signal, timers = globalTimers }: Client,
  takeWake: (wake: () => void) => void = nothing,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopListening = onAbort(signal, (reason) => {
      timers.clearTimeout(timer);
      reject(reason);
    });
    const wake = (): void => {
      timers.clearTimeout(timer);
      stopListening();
      resolve();
    };
    const timer = timers.setTimeout(wake, timerMs(ms));
    takeWake(wake);
  });
}

export function nothing(): void {}

/** Calls `react` with the reason when a signal is aborted. @returns a function that stops listening. */
export function onAbort(
  signal: AbortSignal | undefined,
  react: (reason: unknown) => void,
): () => void {
  if (signal === undefined) return nothing;
  const listener = (): void => react(signal.reason);
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
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
  /** Resolves when the response may be handed over. Rejects with the signal's reason if the client leaves before. */
  holdBack(delivery: Delivery, place: QueuePlace, client: Client): Promise<void>;
  handedOver(place: QueuePlace): void;
}

/** The order of a response that no rule touched. */
export const LATEST_ORDER = Number.POSITIVE_INFINITY;

export function createOvertaking(): Overtaking {
  const waiting = new Set<{ readonly place: QueuePlace; left: number; wake: () => void }>();
  let order = 0;
  return {
    get isIdle(): boolean {
      return waiting.size === 0;
    },
    nextOrder() {
      order += 1;
      return order;
    },
    async holdBack(delivery, place, client) {
      if (delivery.delayMs > 0) await pause(delivery.delayMs, client);
      if (delivery.kind !== "overtaken") return;
      const one = { place, left: delivery.by, wake: nothing };
      waiting.add(one);
      try {
        await pause(delivery.atMostMs, client, (wake) => {
          one.wake = wake;
        });
      } finally {
        waiting.delete(one);
      }
    },
    handedOver(later) {
      for (const one of waiting) {
        const { order, world } = one.place;
        if (later.order <= order || later.world !== world) continue;
        one.left -= 1;
        if (one.left === 0) one.wake();
      }
    },
  };
}
