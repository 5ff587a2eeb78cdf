/** The machine's time zone, as a client sees it: the variable TZ of the process. */

import { InputError } from "../../base/input.ts";

/**
 * Sets TZ to the name of a time zone, such as "Asia/Kolkata".
 *
 * @returns a function that sets it back.
 * @throws InputError if it isn't a time zone, or TZ has no effect: in worker threads, in Jest, and in browsers.
 */
export function setTimeZone(timeZone: string): () => void {
  const wanted = canonicalName(timeZone);
  const environment = globalThis.process?.env ?? {};
  const { TZ: before } = environment;
  const restore = (): void => {
    if (before === undefined) delete environment.TZ;
    else environment.TZ = before;
  };
  environment.TZ = timeZone;
  if (Intl.DateTimeFormat().resolvedOptions().timeZone === wanted) return restore;
  restore();
  throw new InputError(
    "timeZone",
    "can't be set here: the variable TZ has no effect in worker threads, in Jest and in browsers. In vitest's default pool it has",
  );
}

/** Whether clients can be tried in other time zones than the machine's. */
export function canSetTimeZone(): boolean {
  try {
    setTimeZone("Asia/Kolkata")();
    setTimeZone("America/Los_Angeles")();
    return true;
  } catch {
    return false;
  }
}

/** The name by which `Intl` calls the zone. */
function canonicalName(timeZone: string): string {
  try {
    return Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  } catch {
    throw new InputError("timeZone", 'must be the name of a time zone, such as "Asia/Kolkata"');
  }
}
