/** Signals that ask a command to end. The first one lets it finish; the second one ends it at once. */

import type { HostProcess } from "./host-process.ts";

export const endingSignals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

type SignalListener = (name: NodeJS.Signals, number: number) => void;

/** @returns a function that removes the listener; then the signals have their default effect again. */
export function onSignals(
  host: HostProcess,
  signals: readonly NodeJS.Signals[],
  listener: SignalListener,
): () => void {
  for (const signal of signals) host.on(signal, listener);
  return () => {
    for (const signal of signals) host.off(signal, listener);
  };
}

/**
 * If npm started the process, Ctrl-C reaches it twice: from the terminal and from npm. Only a later signal counts as
 * the second one.
 */
const SAME_SIGNAL_MS = 300;

/** Calls `first` for the first signal. A second one exits the process at once. @returns as {@link onSignals}. */
export function onFirstSignal(
  host: HostProcess,
  signals: readonly NodeJS.Signals[],
  first: SignalListener,
): () => void {
  let firstMs: number | undefined;
  return onSignals(host, signals, (name, number) => {
    if (firstMs === undefined) {
      firstMs = performance.now();
      first(name, number);
    } else if (performance.now() - firstMs > SAME_SIGNAL_MS) {
      host.exit(128 + number);
    }
  });
}

/**
 * Calls back when the npm or npx that started this process is gone. It sends its SIGTERM to a shell in between, which doesn't
 * pass it on: the process would go on without them.
 */
export function whenOrphaned(host: HostProcess, then: () => void): void {
  if (host.env.npm_execpath === undefined) return;
  const parent = host.ppid;
  const watch = setInterval(() => {
    if (host.ppid === parent) return;
    clearInterval(watch);
    then();
  }, 100).unref();
}
