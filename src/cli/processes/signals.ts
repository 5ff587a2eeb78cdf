/** Signals that ask a command to end. A first one lets it end well, a second one doesn't wait. */

export const endingSignals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

type SignalListener = (name: NodeJS.Signals, number: number) => void;

/** @returns what ends the listening: then signals do what they do to any process. */
export function onSignals(
  signals: readonly NodeJS.Signals[],
  listener: SignalListener,
): () => void {
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}

/**
 * Ctrl-C reaches a process twice when npm started it: from the terminal, and passed on by npm. Only a signal later than
 * this is a second one.
 */
const SAME_SIGNAL_MS = 300;

/** Tells of the first one. From then on a second one ends the process on the spot. @returns as {@link onSignals}. */
export function onFirstSignal(
  signals: readonly NodeJS.Signals[],
  first: SignalListener,
): () => void {
  let firstMs: number | undefined;
  return onSignals(signals, (name, number) => {
    if (firstMs === undefined) {
      firstMs = performance.now();
      first(name, number);
    } else if (performance.now() - firstMs > SAME_SIGNAL_MS) {
      process.exit(128 + number);
    }
  });
}
