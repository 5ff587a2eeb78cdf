/** What a view asks the source for, and when it asks again. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: unknown;
  reload(): void;
}

/** Loads what the view is about. Another subject starts anew; with another `version` the last answer is shown meanwhile. */
export function useLoaded<Value>(
  load: () => Promise<Value>,
  subject: readonly unknown[],
  version?: unknown,
): Loaded<Value> {
  const about = useMemo(() => ({}), subject);
  const latest = useRef(about);
  latest.current = about;
  const [answer, setAnswer] = useState<{ about?: object; value?: Value; error?: unknown }>({});
  const [count, setCount] = useState(0);
  useEffect(() => {
    // An answer about an earlier subject comes too late.
    const settle = (result: { value: Value } | { error: unknown }): void => {
      if (latest.current === about) setAnswer({ about, ...result });
    };
    load().then(
      (value) => settle({ value }),
      (error) => settle({ error }),
    );
  }, [about, version, count]);
  const { value, error } = answer.about === about ? answer : {};
  return { value, error, reload: () => setCount((before) => before + 1) };
}

function useEvery(everyMs: number, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const timer = setInterval(() => latest.current(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}

/** Follows the value, but changes at most once in this time. */
export function useThrottled<Value>(value: Value, everyMs: number): Value {
  const [shown, show] = useState(value);
  useEvery(everyMs, () => show(value));
  return shown;
}

/** Grows once in so many milliseconds: for what the page hears nothing of. */
export function useTicks(everyMs: number): number {
  const [ticks, set] = useState(0);
  useEvery(everyMs, () => document.hidden || set((count) => count + 1));
  return ticks;
}
