/** A fetch whose requests arrive, and whose answers come back, in the order that a scheduler draws. */

import { signalOf } from "../../adapters/fetch.ts";
import type { PendingTasks } from "../time/virtual-time.ts";

type Fetch = typeof globalThis.fetch;

/**
 * Lets arrivals and answers through in an order of its own: `arbitraryScheduler()`, or fast-check's `fc.scheduler()`, which
 * doesn't shrink. The world itself lets through what waits, so commands are run by `fc.asyncModelRun`:
 * `fc.scheduledModelRun` would have the commands themselves wait in the same queue.
 */
export interface Scheduler extends PendingTasks {
  schedule<Value>(task: Promise<Value>, label?: string): Promise<Value>;
}

/**
 * Requests wait to arrive, and what came of them, an answer or a broken connection, waits to be handed over. Who is aborted
 * meanwhile waits no longer: a request that was on its way doesn't arrive then.
 *
 * @param noteActivity Called when something is handed over.
 */
export function createScheduledFetch(
  direct: Fetch,
  scheduler: Scheduler,
  { baseUrl, noteActivity }: { readonly baseUrl: string; noteActivity(): void },
): Fetch {
  let sent = 0;
  return async (input, init) => {
    // At once, as fetch does: who sends may use its objects for something else by the time of arrival.
    const request = new Request(typeof input === "string" ? new URL(input, baseUrl) : input, init);
    const signal = signalOf(input, init) ?? request.signal;
    sent += 1;
    const name = `${request.method} ${new URL(request.url).pathname} (request ${sent})`;
    const turn = (label: string): Promise<void> => inTurn(scheduler, `${label} ${name}`, signal);
    await turn("arrival of");
    const handOver = await direct(request, { signal }).then(
      (response) => () => response,
      (error: unknown) => () => Promise.reject(error),
    );
    await turn("answer to");
    noteActivity();
    return await handOver();
  };
}

/** Resolves when the scheduler lets it through; rejects with the signal's reason where that comes first. */
async function inTurn(scheduler: Scheduler, label: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let stopListening = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    stopListening = () => signal.removeEventListener("abort", onAbort);
  });
  try {
    await Promise.race([scheduler.schedule(Promise.resolve(), label), aborted]);
  } finally {
    stopListening();
  }
}
