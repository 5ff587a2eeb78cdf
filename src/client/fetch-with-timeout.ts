/** Sends a request and returns as much of its answer as came in time. Doesn't interpret the answer. */

import { after, type Clock } from "./platform.ts";

export interface FetchOptions {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

export interface FetchOutcome {
  /** Undefined if none came. */
  readonly response?: Response | undefined;
  /** The whole body; undefined if it didn't arrive completely. */
  readonly text?: string | undefined;
  /** What ended the request early. */
  readonly stopped?: "timed-out" | "aborted" | undefined;
  /** The error of fetch. */
  readonly cause?: unknown;
  /** Whether the request was given to fetch at all. */
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
    // A replacement of fetch may resolve to anything. This throws if it has no headers.
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
