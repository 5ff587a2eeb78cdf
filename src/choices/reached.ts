/** What the requests of a test suite reached: kinds of exchanges, and the choices that tests made themselves. */

import { formatKeys } from "../exchange/shaped-by.ts";
import type { JournalEntry } from "../journal/entry.ts";
import type { AssumptionKey, Assumptions } from "../spec/assumptions/catalogue.ts";

/** Exchanges that agree in all of this are of one kind. */
export interface ExchangeKind
  extends Pick<JournalEntry, "operation" | "reason" | "limit" | "assumptions"> {
  readonly status: number;
}

/** The variable that names the file to which simulators in a suite's own processes write. */
export const REACHED = "ADSIM_REACHED";

/** Something that was reached for the first time. As JSON it is a line of that file. */
export type Reached =
  | { readonly exchange: ExchangeKind }
  /** A test chose something else for this key than what it was run under. */
  | { readonly kept: AssumptionKey };

/** The lines of such a file. One that a killed process left unfinished is dropped. */
export function reachedIn(text: string): readonly Reached[] {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Reached]));
}

/** Call it with each entry, and with the assumptions of the world that answered. */
export type ReachRecorder = (entry: JournalEntry, inForce: Assumptions) => void;

/** @param asked The assumptions that the suite runs under. @param tell Gets each thing once. */
export function createReachRecorder(
  asked: Assumptions,
  tell: (reached: Reached) => void,
): ReachRecorder {
  const told = new Set<string>();
  const keys = Object.keys(asked) as AssumptionKey[];
  const tellOnce = (reached: Reached): void => {
    const name = JSON.stringify(reached);
    if (!told.has(name)) tell(reached);
    told.add(name);
  };
  return ({ operation, response: { status }, reason, limit, assumptions }, inForce) => {
    for (const kept of keys) if (inForce[kept] !== asked[kept]) tellOnce({ kept });
    tellOnce({ exchange: { operation, status, reason, limit, assumptions } });
  };
}

/** The keys that shaped an answer. Answers name keys about format only if they aren't at their default: they always count. */
export function keysReached(reached: readonly Reached[]): ReadonlySet<AssumptionKey> {
  const exchanges = reached.flatMap((one) => ("exchange" in one ? one.exchange : []));
  const shaping = exchanges.flatMap(({ assumptions }) =>
    assumptions === "documented" ? [] : assumptions,
  );
  return new Set(exchanges.length === 0 ? [] : [...formatKeys, ...shaping]);
}
