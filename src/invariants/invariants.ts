/** The one list of invariants, for the player, for tests of a simulator, for the property campaigns and for reports. */

import { shortened } from "../base/text.ts";
import type { Played } from "./client-exchange.ts";
import { Broken, Inconclusive, type Result } from "./ensure.ts";
import { copyOf, type Invariant, type WorldCopy } from "./invariant.ts";
import { moneyInvariants } from "./money.ts";
import { recordingInvariants } from "./recording.ts";
import { serviceInvariants } from "./service.ts";
import { statsInvariants } from "./stats.ts";

export const invariants: readonly Invariant[] = [
  ...moneyInvariants,
  ...statsInvariants,
  ...recordingInvariants,
  ...serviceInvariants,
];

export interface InvariantResult {
  /** M1, S2 and so on. */
  readonly id: string;
  readonly says: string;
  readonly result: Result;
  /** What is wrong, with both figures; or why it is undecided; or what was checked. */
  readonly why?: string | undefined;
}

/** Judges one invariant after the other, in the order of the list. `ids`: which. @default all */
export function* judgeInvariants(
  played: Played,
  ids?: readonly string[],
): Generator<InvariantResult, void> {
  let shared: WorldCopy | undefined;
  const copy = (): WorldCopy => {
    shared ??= copyOf(played);
    return shared;
  };
  for (const { id, says, seen, tried } of invariants) {
    if (ids !== undefined && !ids.includes(id)) continue;
    const checks = [
      ...(seen === undefined ? [] : [() => seen(played), () => `in a copy ${seen(copy().asked)}`]),
      ...(tried === undefined ? [] : [() => `in a copy ${tried(copy())}`]),
    ];
    // What the copy shows is too little for an invariant about the run.
    const gap = seen && played.gap;
    const { result, why } = gap ? { result: "undecided" as const, why: gap } : judged(checks);
    yield { id, says, result, why: shortened(why, 600) };
  }
}

/** Failed if a check says so, or if the service throws. Passed if a check had something to look at. */
function judged(checks: readonly (() => string)[]): { result: Result; why: string } {
  const found: string[] = [];
  const missing = new Set<string>();
  for (const check of checks) {
    try {
      found.push(check());
    } catch (thrown) {
      const why = thrown instanceof Broken ? thrown.message : `the service threw ${thrown}`;
      if (!(thrown instanceof Inconclusive)) return { result: "failed", why };
      missing.add(thrown.message);
    }
  }
  if (found.length > 0) return { result: "passed", why: found.join("; ") };
  return { result: "undecided", why: [...missing].join("; ") };
}
