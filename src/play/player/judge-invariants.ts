/** The laws held against what is known of a run so far: at its end, and wherever a step expects one. */

import { outgoingOf } from "../../laws/copy.ts";
import { judge, lookedOf, noSecondPlay, type Played } from "../../laws/law.ts";
import { laws } from "../../laws/laws.ts";
import { type Playing, perform } from "./effects.ts";
import type { InvariantResult } from "./result.ts";
import type { Run } from "./run.ts";

/** How many publishers laws are tried on. */
const MOST_MEMBERS = 3;
/** Of whatever else there may be many. */
const MOST_TRIED = 4;
const MOST_JOURNAL = 10_000;

/** `ids`: which of them. @default all */
export function* judgeInvariants(
  run: Run,
  ids?: readonly string[],
): Playing<readonly InvariantResult[]> {
  const asksStats = ids === undefined || ids.includes("S4");
  const looked = lookedOf(yield* playedOf(run, asksStats));
  const results: InvariantResult[] = [];
  for (const law of laws) {
    if (ids !== undefined && !ids.includes(law.id)) continue;
    yield* perform({ kind: "pass" });
    results.push({ id: law.id, says: law.says, ...judge(law, looked) });
  }
  return results;
}

/** `asksStats`: of a foreign service, whose answers may not show it otherwise. */
function* playedOf(run: Run, asksStats: boolean): Playing<Played> {
  const { abilities, trace } = run;
  const members = Array.from(run.members.values()).slice(0, MOST_MEMBERS);
  const known = {
    trace,
    members,
    isExactTime: abilities.time.kind === "virtual",
    again: noSecondPlay,
    most: MOST_TRIED,
  };
  if (abilities.control) {
    const written = trace.scripted.count > 0;
    const entries = written
      ? yield* perform<"journal">({ kind: "journal", limit: MOST_JOURNAL })
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
