/** The invariants by id, and how the evidence of a run is held against them. One list for the player, tests and users. */

import { type Playing, perform } from "../player/effects.ts";
import type { InvariantResult } from "../player/result.ts";
import { determinism } from "./determinism.ts";
import type { Evidence, Invariant } from "./evidence.ts";
import { isolation } from "./isolation.ts";
import { limits } from "./limits.ts";
import { money } from "./money.ts";
import { recording } from "./recording.ts";
import { shape } from "./shape.ts";
import { stats } from "./stats.ts";

/** All of them, in the order of the list. */
export const invariants: readonly Invariant[] = [
  ...money,
  ...stats,
  ...recording,
  ...limits,
  ...isolation,
  ...determinism,
  ...shape,
];

/**
 * What the evidence says of each invariant. It makes one world aside and tries things there; in the played world it only
 * reads the audit and the time.
 *
 * @param ids Which of them, in any order. All unless told.
 */
export function* checkInvariants(
  evidence: Evidence,
  ids?: readonly string[],
): Playing<readonly InvariantResult[]> {
  const results: InvariantResult[] = [];
  for (const { id, says, check } of invariants) {
    if (ids !== undefined && !ids.includes(id)) continue;
    yield* perform({ kind: "pass" });
    results.push({ id, says, ...(yield* check(evidence)) });
  }
  return results;
}
