/** Where deliveries get their timers: the machine's, unless somebody lets time pass for them. */

/** `Id`: what a timer is known by. */
export interface Timers<Id = unknown> {
  setTimeout(act: () => void, ms: number): Id;
  clearTimeout(timer: Id | undefined): void;
}

/** Looked up when they are needed, so that a test's fake ones count. */
export const globalTimers: Timers<ReturnType<typeof setTimeout>> = {
  setTimeout: (act, ms) => setTimeout(act, ms),
  clearTimeout: (timer) => clearTimeout(timer),
};
