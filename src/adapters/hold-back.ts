/**
 * Holds a response back as its delivery says: for a time, or until later responses have overtaken it. The transports share
 * this code, but each counts its own responses.
 */

import { createDrip, timerMs } from "../base/drip.ts";
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
  /** @default the machine's, and a silent answer keeps the process alive */
  readonly timers?: Timers | undefined;
}

/** Resolves after a time, or when `wake` is called. Rejects with the signal's reason if that is aborted before. */
function pause(
  ms: number,
  { signal, timers = globalTimers }: Client,
  takeWake: (wake: () => void) => void = nothing,
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
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

/** The pieces of a slow body, each when it is due. @throws (as a rejection) the signal's reason if it is aborted. */
export async function* dripPieces(
  body: string,
  { bytesPerSecond }: Extract<Delivery, { readonly kind: "drip" }>,
  client: Client,
): AsyncGenerator<Uint8Array> {
  const drip = createDrip(body, bytesPerSecond);
  for (let isOver = body === ""; !isOver; ) {
    await pause(drip.everyMs, client);
    const { piece, isLast } = drip.next();
    yield piece;
    isOver = isLast;
  }
}

export type Overtaking = ReturnType<typeof createOvertaking>;

/** Counts handed-over responses for those that wait to be overtaken by some of their world. In process there is only one. */
export function createOvertaking() {
  const waiting = new Set<{ readonly world: string; left: number; wake: () => void }>();
  return {
    /** Resolves when the response may be handed over. Rejects with the signal's reason if the client leaves before. */
    async holdBack(delivery: Delivery, client: Client, world = ""): Promise<void> {
      if (delivery.delayMs > 0) await pause(delivery.delayMs, client);
      if (delivery.kind !== "overtaken") return;
      const one = { world, left: delivery.by, wake: nothing };
      waiting.add(one);
      const wait = pause(delivery.atMostMs, client, (wake) => {
        one.wake = wake;
      });
      await wait.finally(() => waiting.delete(one));
    },
    handedOver(world = ""): void {
      for (const one of waiting) {
        if (one.world !== world) continue;
        one.left -= 1;
        if (one.left === 0) one.wake();
      }
    },
  };
}
