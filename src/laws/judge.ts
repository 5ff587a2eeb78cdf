/** Judges a law: does its checks, and words the verdict. */

import { shortened } from "../base/text.ts";
import {
  Broken,
  Inconclusive,
  type Judgement,
  type Law,
  type LawContext,
  needsRerun,
} from "./law.ts";
import { ServiceThrew } from "./rerun-plan.ts";

/** Broken if any check says so. Held if any check passes and none lacks a part of the trace. */
export function judge(law: Law, played: LawContext): Judgement {
  const { checkTrace = [], withoutRerun = needsRerun, notCheckedHere } = law;
  const inCopies = [law.checkCopy ?? []].flat();
  const reruns = [law.checkRerun ?? []].flat();
  const found: string[] = [];
  const missing: string[] = notCheckedHere === undefined ? [] : [notCheckedHere];
  for (const check of [checkTrace, inCopies, reruns].flat()) {
    const isRerun = reruns.includes(check);
    if (isRerun && played.rerunPlan === needsRerun) {
      // The other checks' results say more.
      if (found.length === 0 && missing.length === 0) missing.push(withoutRerun);
      continue;
    }
    try {
      found.push(check(played));
    } catch (thrown) {
      if (thrown instanceof Broken || thrown instanceof ServiceThrew)
        return { verdict: "broken", why: shownReason(thrown.message) };
      if (!(thrown instanceof Inconclusive)) throw thrown;
      // The part of the law that rests on the trace wasn't checked, so the others prove too little.
      if (thrown.message === played.gap && !isRerun) return { verdict: "unknown", why: played.gap };
      if (!missing.includes(thrown.message)) missing.push(thrown.message);
    }
  }
  return found.length > 0
    ? { verdict: "held", why: shownReason(found.join("; ")) }
    : { verdict: "unknown", why: shownReason(missing.join("; ")) };
}

const MAX_SHOWN = 600;

function shownReason(why: string): string {
  return shortened(why, MAX_SHOWN);
}
