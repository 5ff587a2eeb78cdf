/** A fetch whose requests and answers arrive in the order that a scheduler draws. */

import { requestFor, signalOf } from "../../adapters/fetch.ts";
import type { PendingTasks } from "../time/virtual-time.ts";

type Fetch = typeof globalThis.fetch;

/**
 * Decides the order of arrivals and answers: `arbitraryScheduler()`, or fast-check's `fc.scheduler()`, which doesn't
 * shrink. The world releases the waiting tasks itself, so run commands with `fc.asyncModelRun`:
 * `fc.scheduledModelRun` would put the commands into the same queue.
 */
export interface Scheduler extends PendingTasks {
  schedule<Value>(task: Promise<Value>, label?: string): Promise<Value>;
}

/**
 * Each request waits to arrive, and its answer or connection error waits to be delivered. An abort ends the wait: a
 * request that hasn't arrived by then never does.
 *
 * @param noteActivity Called when an answer or error is delivered.
 */
export function createScheduledFetch(
  direct: Fetch,
  scheduler: Scheduler,
  { baseUrl, noteActivity }: { readonly baseUrl: string; noteActivity(): void },
): Fetch {
  let sent = 0;
  return async (input, init) => {
    // Copied at once, as fetch does: the client may change its objects before the request arrives.
    const request = requestFor(input, init, baseUrl);
    const signal = signalOf(input, init) ?? request.signal;
    sent += 1;
    const name = `${request.method} ${new URL(request.url).pathname} (request ${sent})`;
    const turn = (label: string): Promise<void> => inTurn(scheduler, `${label} ${name}`, signal);
    await turn("arrival of");
    const deliver = await direct(request, { signal }).then(
      (response) => () => response,
      (error: unknown) => () => Promise.reject(error),
    );
    await turn("answer to");
    noteActivity();
    return await deliver();
  };
}

/** Resolves when the scheduler releases the task. Rejects with the signal's reason if it is aborted first. */
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
