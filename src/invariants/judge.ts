/** Judges invariants: has each look at the run and try the copy, and words the result. */

import { InputError } from "../base/input.ts";
import { shortened } from "../base/text.ts";
import { Broken, Inconclusive, inconclusive, type Result } from "./ensure.ts";
import type { Invariant } from "./invariant.ts";
import { invariants } from "./invariants.ts";
import type { Log, Played, PlayedWorld } from "./log.ts";
import { prepareCopy, type WorldCopy } from "./world-copy.ts";

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
  const log = logOf(played);
  let copy: WorldCopy | undefined;
  const shared = (): WorldCopy => {
    copy ??= copyOf(played);
    return copy;
  };
  for (const invariant of invariants) {
    const { id, says } = invariant;
    if (ids === undefined || ids.includes(id))
      yield { id, says, ...judged(invariant, played.gap, log, shared) };
  }
}

function logOf({ trace, isExactTime, assumptions, world }: Played): Log {
  return { trace, isExactTime, assumptions, audit: () => worldOf(world).audit() };
}

/** The copy that the invariants share. */
function copyOf({ world, assumptions, members, trace }: Played): WorldCopy {
  const played = worldOf(world);
  if (assumptions === undefined)
    return inconclusive("the assumptions of a service other than adsim aren't known");
  try {
    return prepareCopy(played.fork(), assumptions, { members, trace });
  } catch (error) {
    if (error instanceof InputError)
      throw new Broken(`the world can't be copied: ${error.message}`);
    throw error;
  }
}

function worldOf(world: PlayedWorld | string): PlayedWorld {
  return typeof world === "string" ? inconclusive(world) : world;
}

/** Failed if either function says so, passed if either had something to check. */
function judged(
  { seen, tried }: Invariant,
  gap: string | undefined,
  log: Log,
  copy: () => WorldCopy,
): Omit<InvariantResult, "id" | "says"> {
  // What the copy shows is too little for an invariant about the run.
  if (seen !== undefined && gap !== undefined) return { result: "undecided", why: gap };
  const found: string[] = [];
  const missing: string[] = [];
  for (const check of [seen && (() => seen(log)), tried && (() => tried(copy()))]) {
    if (check === undefined) continue;
    try {
      found.push(check());
    } catch (thrown) {
      if (thrown instanceof Broken) return { result: "failed", why: shown(thrown.message) };
      if (!(thrown instanceof Inconclusive)) throw thrown;
      missing.push(thrown.message);
    }
  }
  return found.length > 0
    ? { result: "passed", why: shown(found.join("; ")) }
    : { result: "undecided", why: shown(missing.join("; ")) };
}

const MAX_SHOWN = 600;

function shown(why: string): string {
  return shortened(why, MAX_SHOWN);
}
