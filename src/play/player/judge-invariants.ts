/** Judges the laws by what is known of a run so far: at its end, and when a step expects an invariant. */

import { judge } from "../../laws/judge.ts";
import { createLawContext, needsRerun, type Played } from "../../laws/law.ts";
import { laws } from "../../laws/laws.ts";
import { type EffectGenerator, perform } from "./effects.ts";
import type { InvariantResult } from "./result.ts";
import type { Run } from "./run.ts";

/** Laws are tried on at most this many publishers. */
const MAX_MEMBERS = 3;
/** Sample size for everything else. */
const MAX_TRIED = 4;
const MAX_JOURNAL = 10_000;

/** `ids`: the laws to judge. @default all */
export function* judgeInvariants(
  run: Run,
  ids?: readonly string[],
): EffectGenerator<readonly InvariantResult[]> {
  const context = createLawContext(yield* playedOf(run));
  const results: InvariantResult[] = [];
  for (const law of laws) {
    if (ids !== undefined && !ids.includes(law.id)) continue;
    yield* perform({ kind: "pass" });
    results.push({ id: law.id, says: law.says, ...judge(law, context) });
  }
  return results;
}

function* playedOf(run: Run): EffectGenerator<Played> {
  const { capabilities, trace } = run;
  const members = Array.from(run.members.values()).slice(0, MAX_MEMBERS);
  const known = {
    trace,
    members,
    isExactTime: capabilities.time.kind === "virtual",
    rerunPlan: needsRerun,
    sampleSize: MAX_TRIED,
  };
  if (capabilities.control) {
    const hasRequests = trace.scripted.count > 0;
    const entries = hasRequests
      ? yield* perform<"journal">({ kind: "journal", limit: MAX_JOURNAL })
      : [];
    return {
      ...known,
      readings: yield* perform<"assumptions">({ kind: "assumptions" }),
      world: yield* perform<"world">({ kind: "world" }),
      journal: () => entries,
    };
  }
  return {
    ...known,
    readings: undefined,
    world: "the target can't make a copy of the world to try it in",
    journal: () => [],
  };
}
