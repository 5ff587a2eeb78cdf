/** Stands in until invariants are merged. */
import type { Abilities, Playing } from "../player/effects.ts";
import type { InvariantResult } from "../player/result.ts";
import type { Trace } from "./trace.ts";
export interface Evidence {
  readonly trace: Trace;
  readonly abilities: Abilities;
}
export interface Invariant {
  readonly id: string;
}
// biome-ignore lint/correctness/useYield: a stand-in.
export function* checkInvariants(
  _evidence: Evidence,
  _ids?: readonly string[],
): Playing<readonly InvariantResult[]> {
  return [];
}
