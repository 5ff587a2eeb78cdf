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
  const bytes = keptBytes(init);
  bytesKept += bytes;
  try {
    const answer = await Promise.race([
      fetch(url, { ...init, ...(bytes > 0 && { keepalive: true }), signal: controller.signal }),
      stopping,
    ]);
    // A replacement of fetch may resolve to anything. This throws if it has no headers.
    if (answer !== undefined) answer.headers.has("x");
    response = answer;
    text = await Promise.race([response?.text(), stopping]);
  } catch (reason) {
    cause = reason;
  } finally {
    bytesKept -= bytes;
    cancelTimeout();
    signal?.removeEventListener("abort", onAbort);
  }
  return { response, text, stopped, cause, wasSent: true };
}

/**
 * Bodies of requests under way that outlive their page. A browser takes 64 KiB of all scripts together, and rejects the fetch of
 * any other (Fetch standard, HTTP-network-or-cache fetch).
 */
let bytesKept = 0;
const MAX_BYTES = 65_536;
/** What a request counts for at least. It keeps their number below 250, the least of the browsers' own limits. */
const LEAST_BYTES = 280;

/** 0 for a request that must not outlive its page: not every other platform's fetch knows the option. */
function keptBytes({ method, body }: RequestInit): number {
  if (method !== "POST" || !("document" in globalThis)) return 0;
  const bytes = Math.max(LEAST_BYTES, new TextEncoder().encode(String(body ?? "")).length);
  return bytesKept + bytes <= MAX_BYTES ? bytes : 0;
}
