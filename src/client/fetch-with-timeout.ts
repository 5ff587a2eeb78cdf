/** A request and as much of its answer as came in time. Reading what the answer means is the caller's. */

import { after, type Clock } from "./platform.ts";

export interface FetchOptions {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

export interface FetchOutcome {
  /** Undefined where none came. */
  readonly response?: Response | undefined;
  /** Undefined where it didn't come to its end. */
  readonly text?: string | undefined;
  /** What ended it before that. */
  readonly stopped?: "timed-out" | "aborted" | undefined;
  /** What fetch rejected with. */
  readonly cause?: unknown;
  /** Whether it was given to fetch at all. */
  readonly wasSent: boolean;
}

/** Never rejects. A fetch that ignores its signal doesn't keep the caller waiting. */
export async function fetchWithTimeout(
  url: string,
  init: RequestInit,
  { fetch, clock, timeoutMs, signal }: FetchOptions,
): Promise<FetchOutcome> {
  if (signal?.aborted) return { stopped: "aborted", wasSent: false };
  const controller = new AbortController();
  let stopped: FetchOutcome["stopped"];
  let response: Response | undefined;
  let text: string | undefined;
  let cause: unknown;
  const stopping = new Promise<undefined>((resolve) => {
    controller.signal.addEventListener("abort", () => resolve(undefined));
  });
  const stop = (why: FetchOutcome["stopped"]): void => {
    stopped ??= why;
    controller.abort();
  };
  const onAbort = (): void => stop("aborted");
  const cancelTimeout = after(clock, timeoutMs, () => stop("timed-out"));
  signal?.addEventListener("abort", onAbort);
  try {
    const answer = await Promise.race([
      fetch(url, { ...init, signal: controller.signal }),
      stopping,
    ]);
    // What stands in for fetch may resolve to anything: this throws where it has no headers.
    if (answer !== undefined) answer.headers.has("x");
    response = answer;
    text = await Promise.race([response?.text(), stopping]);
  } catch (reason) {
    cause = reason;
  } finally {
    cancelTimeout();
    signal?.removeEventListener("abort", onAbort);
  }
  return { response, text, stopped, cause, wasSent: true };
}
