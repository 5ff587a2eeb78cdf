/** What asks a command to end. */

import type { HostProcess } from "./host-process.ts";

const endingSignals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** @returns a function that removes the listener; then the signals have their default effect again. */
export function onEndingSignals(
  host: HostProcess,
  listener: (name: NodeJS.Signals, number: number) => void,
): () => void {
  for (const signal of endingSignals) host.on(signal, listener);
  return () => {
    for (const signal of endingSignals) host.off(signal, listener);
  };
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
