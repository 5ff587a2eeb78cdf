/** What a view asks the server for, and when it asks again. */

import { useEffect, useRef, useState } from "preact/hooks";

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: unknown;
  reload(): void;
}

interface LoadOptions {
  /** Another value is a reason to ask again. The last answer stays until the next one is there. */
  readonly version?: unknown;
  /** Another value is a reason to ask again after an error. */
  readonly retryOn?: unknown;
  /** Waits so long first, so that nothing is loaded for what the user only passes. @default 0 */
  readonly afterMs?: number;
}

/** After an error: it may pass, as when the server starts again. */
const RETRY_MS = 3000;

/**
 * Loads what the view is about. For another subject it starts anew: the signal of the load before is aborted, and neither its
 * answer nor its error is shown.
 */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  subject: readonly unknown[],
  { version, retryOn, afterMs = 0 }: LoadOptions = {},
): Loaded<Value> {
  const [answer, setAnswer] = useState<Answer<Value>>();
  const latest = useRef({ load, version });
  latest.current = { load, version };
  const asking = useRef<Asking | undefined>(undefined);
  useEffect(() => {
    const started = startAsking(
      (signal) => latest.current.load(signal),
      (value, error) => setAnswer({ subject, value, error }),
      afterMs,
    );
    asking.current = { ...started, version };
    return started.stop;
  }, subject);
  useEffect(() => {
    if (asking.current === undefined || asking.current.version === version) return;
    asking.current.version = version;
    asking.current.again();
  }, [version]);
  useEffect(() => {
    if (answer?.error !== undefined) asking.current?.again();
  }, [retryOn]);
  const isOfThis = answer?.subject.every((one, index) => one === subject[index]) === true;
  return {
    value: isOfThis ? answer.value : undefined,
    error: isOfThis ? answer.error : undefined,
    reload: () => asking.current?.again(),
  };
}

interface Answer<Value> {
  readonly subject: readonly unknown[];
  readonly value: Value | undefined;
  readonly error: unknown;
}

interface Asking {
  /** What was current when it asked. */
  version: unknown;
  /** At once, or when the load that is under way has ended. */
  again(): void;
  stop(): void;
}

function startAsking<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  settle: (value: Value | undefined, error: unknown) => void,
  afterMs: number,
): Omit<Asking, "version"> {
  const abandoned = new AbortController();
  const { signal } = abandoned;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isLoading = false;
  let isWanted = false;
  function start(): void {
    clearTimeout(timer);
    isLoading = true;
    isWanted = false;
    load(signal).then(
      (value) => ended(value, undefined),
      (error) => ended(undefined, error),
    );
  }
  function ended(value: Value | undefined, error: unknown): void {
    if (signal.aborted) return;
    isLoading = false;
    settle(value, error);
    if (isWanted) start();
    else if (error !== undefined) timer = setTimeout(start, RETRY_MS);
  }
  if (afterMs === 0) start();
  else timer = setTimeout(start, afterMs);
  return {
    again() {
      if (isLoading) isWanted = true;
      else start();
    },
    stop() {
      clearTimeout(timer);
      abandoned.abort();
    },
  };
}

/** Asks again so long after each answer: for what the page hears nothing of. */
export function usePolling({ value, reload }: Loaded<unknown>, everyMs: number): void {
  useEffect(() => {
    if (value === undefined) return undefined;
    const timer = setTimeout(reload, everyMs);
    return () => clearTimeout(timer);
  }, [value, everyMs]);
}

/** While exchanges arrive, the views that don't list them follow at most so often. */
const FOLLOW_MS = 1000;

/** Follows the value, but changes at most once in {@link FOLLOW_MS}. */
export function useThrottled<Value>(value: Value): Value {
  const latest = useRef(value);
  latest.current = value;
  const [shown, show] = useState(value);
  useEffect(() => {
    const timer = setInterval(() => show(latest.current), FOLLOW_MS);
    return () => clearInterval(timer);
  }, []);
  return shown;
}
