/** What a view asks the server for, and when it asks again. */

import { useEffect, useRef, useState } from "preact/hooks";

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: unknown;
  reload(): void;
}

/**
 * Keeps the last value until the next one is there. Loads again when a dependency changes, which aborts the signal of the load
 * before. `afterMs`: waits so long first, so that nothing is loaded for what the user only passes.
 */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  dependencies: readonly unknown[],
  afterMs = 0,
): Loaded<Value> {
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<Omit<Loaded<Value>, "reload">>({
    value: undefined,
    error: undefined,
  });
  useEffect(() => {
    const abandoned = new AbortController();
    const { signal } = abandoned;
    const start = (): void => {
      load(signal).then(
        (value) => signal.aborted || setState({ value, error: undefined }),
        (error) => signal.aborted || setState({ value: undefined, error }),
      );
    };
    const timer = afterMs === 0 ? undefined : setTimeout(start, afterMs);
    if (timer === undefined) start();
    return () => {
      clearTimeout(timer);
      abandoned.abort();
    };
  }, [turn, ...dependencies]);
  return { ...state, reload: () => setTurn(turn + 1) };
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
