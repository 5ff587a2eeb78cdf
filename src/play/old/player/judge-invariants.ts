/** Judges the invariants by what is known of a run so far: at its end, and when a step expects an invariant. */

import { type InvariantResult, judgeInvariants } from "../../../invariants/judge.ts";
import type { Played } from "../../../invariants/log.ts";
import { resolveAssumptions } from "../../../spec/assumptions/resolve.ts";
import { type EffectGenerator, perform } from "./effects.ts";
import type { Run } from "./run.ts";

/** The invariants are tried on at most this many publishers. */
const MAX_MEMBERS = 3;

/** `ids`: the invariants to judge. @default all */
export function* judgeRun(
  run: Run,
  ids?: readonly string[],
): EffectGenerator<readonly InvariantResult[]> {
  const results: InvariantResult[] = [];
  for (const result of judgeInvariants(yield* playedOf(run), ids)) {
    results.push(result);
    yield* perform({ kind: "pass" });
  }
  return results;
}

function* playedOf({ capabilities, trace, members }: Run): EffectGenerator<Played> {
  const known = {
    trace,
    members: Array.from(members.values()).slice(0, MAX_MEMBERS),
    isExactTime: capabilities.time.kind === "virtual",
  };
  if (!capabilities.control) {
    const world = "the target can't make a copy of the world to try it in";
    return { ...known, assumptions: undefined, world };
  }
  return {
    ...known,
    assumptions: resolveAssumptions(yield* perform<"assumptions">({ kind: "assumptions" })),
    world: yield* perform<"world">({ kind: "world" }),
  };
}
