/** A long play lets the event loop run now and then, so that others get their turn and the play can be stopped. */

import { setImmediate } from "node:timers/promises";

/** How long a play runs before others get their turn, in milliseconds. */
const TURN_MS = 10;

/** Lets others run if it is time. `mayGoOn` is called then, and throws to stop the play. */
export type Turns = () => Promise<void> | undefined;

export function createTurns(mayGoOn: () => void): Turns {
  let untilMs = performance.now() + TURN_MS;
  async function pass(): Promise<void> {
    await setImmediate();
    mayGoOn();
    untilMs = performance.now() + TURN_MS;
  }
  return () => (performance.now() < untilMs ? undefined : pass());
}
