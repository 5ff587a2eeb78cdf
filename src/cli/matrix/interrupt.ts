/** Ctrl-C during a matrix: what runs is ended, and what is known is still told. A second one doesn't wait. */

import type { Runner } from "./runner.ts";

export interface Interruption {
  /** The first signal that came. */
  readonly signal: { readonly name: NodeJS.Signals; readonly number: number } | undefined;
  /** From now on signals do what they do to any process. */
  end(): void;
}

/** npm passes on a Ctrl-C that the terminal has sent already: only a later one is a second one. */
const SAME_SIGNAL_MS = 300;

const signals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

export function onInterrupt(runner: Pick<Runner, "stop" | "kill">): Interruption {
  let first: { name: NodeJS.Signals; number: number; atMs: number } | undefined;
  const onSignal = (name: NodeJS.Signals, number: number): void => {
    if (first === undefined) {
      first = { name, number, atMs: performance.now() };
      void runner.stop();
    } else if (performance.now() - first.atMs > SAME_SIGNAL_MS) {
      process.exit(128 + number);
    }
  };
  for (const signal of signals) process.on(signal, onSignal);
  // However the process ends, no CMD outlives it.
  process.on("exit", runner.kill);
  return {
    get signal() {
      return first;
    },
    end() {
      for (const signal of signals) process.off(signal, onSignal);
      process.off("exit", runner.kill);
    },
  };
}
