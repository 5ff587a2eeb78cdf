/** The invariants held against what is known of a run so far: at its end, and wherever a step expects one. */

import type { Evidence } from "../invariants/evidence.ts";
import { checkInvariants } from "../invariants/invariants.ts";
import { type Playing, perform } from "./effects.ts";
import type { InvariantResult } from "./result.ts";
import type { Run } from "./run.ts";

/** How many publishers invariants are tried on. */
const MOST_MEMBERS = 20;

/** `ids`: which of them. @default all */
export function* judgeInvariants(
  run: Run,
  ids?: readonly string[],
): Playing<readonly InvariantResult[]> {
  run.hasFreshAside = false;
  return yield* checkInvariants(yield* evidenceOf(run), ids);
}

function* evidenceOf({ abilities, trace, members }: Run): Playing<Evidence> {
  const assumptions = abilities.control ? yield* perform({ kind: "assumptions" }) : undefined;
  return {
    abilities,
    trace,
    members: Array.from(members.values()).slice(0, MOST_MEMBERS),
    assumptions,
  };
}
