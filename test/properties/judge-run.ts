/**
 * The invariants that judge a finished run, and how often each does. One that plays the sequence again, or asks the world a
 * hundred things, costs more than playing the sequence did, so it judges one run in so many.
 */

import type { Assumptions } from "../../src/index.ts";
import { judgeInvariants } from "../../src/invariants/invariants.ts";
import { alone, replayed, unforked } from "./again.ts";
import { mustMatchDocument } from "./documented.ts";
import { everythingIn, playedIn } from "./played.ts";
import type { Run } from "./run.ts";

/** Each judges one run in so many. The order decides which of the expensive ones judge the same run. */
export const turns: Readonly<Record<string, number>> = {
  M1: 5,
  M2: 5,
  M3: 6,
  M4: 5,
  S1: 6,
  S2: 5,
  S3: 5,
  S4: 5,
  D2: 5,
  D3: 3,
  D4: 5,
  L4: 6,
  L7: 1,
  A4: 1,
  H1: 8,
  R2: 8,
  replay: 6,
  fork: 8,
  interleaving: 8,
};

/** Checks in addition to the invariants: see their files. */
const others: Readonly<Record<string, (run: Run) => void>> = {
  replay: replayed,
  fork: unforked,
  interleaving: alone,
  H1: mustMatchDocument,
};

/** These judge each answer on its own, even one from a step that was undone. */
const ofAnyAnswer: readonly string[] = ["M4", "L7"];

/**
 * Judges a run by the invariants whose turn it is at the sequence with this number.
 *
 * @returns the ids of those that had something to check.
 * @throws Error that names the invariant that is broken, and what broke it.
 */
export function judgeRun(run: Run, number: number): string[] {
  const ids = turnsAt(number, run.options.assumptions);
  const ofAny = ids.filter((id) => ofAnyAnswer.includes(id));
  const straight = ids.filter((id) => !ofAnyAnswer.includes(id));
  const results = [
    ...judgeInvariants(everythingIn(run), ofAny),
    ...judgeInvariants(playedIn(run), straight),
  ];
  for (const { id, result, why } of results)
    if (result === "failed") throw new Error(`${id} failed: ${why}`);
  for (const id of ids) others[id]?.(run);
  const unknown = results.filter(({ result }) => result === "undecided").map(({ id }) => id);
  return ids.filter((id) => !unknown.includes(id));
}

/** The ids whose turn it is. */
function turnsAt(number: number, assumptions: Assumptions): string[] {
  const masks = assumptions["auth.key-scope"] === "publisher-hidden";
  return Object.entries(turns)
    .filter(([id, oneIn], place) => (number + place) % oneIn === 0 && (id !== "A4" || masks))
    .map(([id]) => id);
}
