/** The laws held against what is known of a run so far: at its end, and wherever a step expects one. */

import { createLawContext, judge, needsRerun, type Played } from "../../laws/law.ts";
import { laws } from "../../laws/laws.ts";
import { outgoingOf } from "../../laws/world-copy.ts";
import { type EffectGenerator, perform } from "./effects.ts";
import type { InvariantResult } from "./result.ts";
import type { Run } from "./run.ts";

/** How many publishers laws are tried on. */
const MAX_MEMBERS = 3;
/** Of whatever else there may be many. */
const MAX_TRIED = 4;
const MAX_JOURNAL = 10_000;

/** `ids`: which of them. @default all */
export function* judgeInvariants(
  run: Run,
  ids?: readonly string[],
): EffectGenerator<readonly InvariantResult[]> {
  const asksStats = ids === undefined || ids.includes("S4");
  const looked = createLawContext(yield* playedOf(run, asksStats));
  const results: InvariantResult[] = [];
  for (const law of laws) {
    if (ids !== undefined && !ids.includes(law.id)) continue;
    yield* perform({ kind: "pass" });
    results.push({ id: law.id, says: law.says, ...judge(law, looked) });
  }
  return results;
}

/** `asksStats`: of a foreign service, whose answers may not show it otherwise. */
function* playedOf(run: Run, asksStats: boolean): EffectGenerator<Played> {
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
    const written = trace.scripted.count > 0;
    const entries = written
      ? yield* perform<"journal">({ kind: "journal", limit: MAX_JOURNAL })
      : [];
    return {
      ...known,
      readings: yield* perform<"assumptions">({ kind: "assumptions" }),
      world: yield* perform<"world">({ kind: "world" }),
      journal: () => entries,
    };
  }
  const [member] = members;
  const outgoing = asksStats && member ? outgoingOf(member, "stats") : undefined;
  return {
    ...known,
    readings: undefined,
    world: "the target has no world aside to try it in",
    journal: () => [],
    defaultStats: outgoing && (yield* perform<"send">({ kind: "send", outgoing })),
  };
}
