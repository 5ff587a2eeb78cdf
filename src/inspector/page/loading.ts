/** What a view asks the source for, and when it asks again. */

import { useEffect, useRef, useState } from "preact/hooks";

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: unknown;
  reload(): void;
}

/** After an error: it may pass, as when the server starts again. */
const RETRY_MS = 3000;

/**
 * Loads what the view is about. Another subject starts anew; with another `version` it asks again and shows the last answer
 * meanwhile. It never asks twice at a time.
 */
export function useLoaded<Value>(
  load: () => Promise<Value>,
  subject: readonly unknown[],
  version?: unknown,
): Loaded<Value> {
  const [answer, setAnswer] = useState<Answer<Value>>();
  const asking = useRef({ load, again: (): void => undefined });
  asking.current.load = load;
  useEffect(() => {
    let [isBusy, isWanted, isOver] = [false, false, false];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = (): void => {
      clearTimeout(timer);
      isWanted = isBusy;
      if (isBusy) return;
      isBusy = true;
      asking.current.load().then(
        (value) => ended({ subject, value, error: undefined }),
        (error) => ended({ subject, value: undefined, error }),
      );
    };
    const ended = (next: Answer<Value>): void => {
      if (isOver) return;
      isBusy = false;
      setAnswer(next);
      if (isWanted) again();
      else if (next.error !== undefined) timer = setTimeout(again, RETRY_MS);
    };
    asking.current.again = again;
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, subject);
  useEffect(() => asking.current.again(), [...subject, version]);
  const isOfThis = answer?.subject.every((one, index) => one === subject[index]) === true;
  return {
    value: isOfThis ? answer.value : undefined,
    error: isOfThis ? answer.error : undefined,
    reload: () => asking.current.again(),
  };
}

interface Answer<Value> {
  readonly subject: readonly unknown[];
  readonly value: Value | undefined;
  readonly error: unknown;
}

/** Follows the value, but changes at most once in this time. */
export function useThrottled<Value>(value: Value, ms: number): Value {
  const latest = useRef(value);
  latest.current = value;
  const [shown, show] = useState(value);
  useEffect(() => {
    const timer = setInterval(() => show(latest.current), ms);
    return () => clearInterval(timer);
  }, []);
  return shown;
}

/** Grows once in so many milliseconds: for what the page hears nothing of. */
export function useTicks(everyMs: number): number {
  const [ticks, set] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || set((count) => count + 1), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return ticks;
}
