/** What a law is, what it looks at, and how what it finds is put into words. */

import type { JournalEntry } from "../journal/entry.ts";
import { withoutSecrets } from "../journal/secrets.ts";
import type { SimulatorCore } from "../simulator/simulator.ts";
import type { Readings } from "../simulator/simulator-options.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import type { ClientExchange, Member } from "./client-exchange.ts";
import { type RerunPlan, ServiceThrew } from "./rerun-plan.ts";
import type { TraceReader } from "./trace.ts";

/** Looks at one side of what was played, and says what it looked at. It throws what {@link ensure} and {@link inconclusive} throw. */
export type LawCheck = (played: LawContext) => string;

export interface Law {
  readonly id: string;
  readonly says: string;
  /** From answers only: of foreign services too. */
  readonly seen?: LawCheck;
  /** In copies of the world as it is now. */
  readonly tried?: LawCheck;
  /** In new worlds, in which all that was done is done again. */
  readonly again?: LawCheck;
  /** What to say where nothing is done again. @default {@link needsRerun} */
  readonly withoutRerun?: string;
  /** Why nothing here can look at it. */
  readonly notCheckedHere?: string;
}

/** Why a play does nothing again: it is played once. */
export const needsRerun = "needs a second play: the property tests do it";

/** What was done to a world, and the world. */
export interface Played {
  readonly trace: TraceReader;
  /** Why the trace isn't all that led to the state; undefined where it is. */
  readonly gap?: string | undefined;
  /** Whether the instants of the trace are those at which the service answered. */
  readonly isExactTime: boolean;
  /** Publishers to try the laws on, as they are now. */
  readonly members: readonly Member[];
  /** The readings in force now. Undefined of a foreign service. */
  readonly readings: Readings | undefined;
  /** The world as it is now, or why there is none to copy. */
  readonly world: PlayedWorld | string;
  /** How to do it all again in new worlds, or why that can't be done. */
  readonly again: RerunPlan | string;
  /** What the service has on record of the last requests, where some answers were a fault rule's. */
  readonly journal: () => readonly JournalEntry[];
  /** Of a foreign service: an answer to stats without a period. */
  readonly defaultStats?: ClientExchange | undefined;
  /** Of things of which there may be many, such as a publisher's payouts, so many are looked at. */
  readonly sampleSize: number;
}

/** It is copied and audited, never changed. */
export type PlayedWorld = Pick<SimulatorCore, "fork" | "audit" | "clock">;

export interface LawContext extends Played {
  /** What several laws look at is found out once. */
  memoize<Found>(name: string, find: () => Found): Found;
}

export type LawVerdict = "held" | "broken" | "unknown";

export interface Judgement {
  readonly verdict: LawVerdict;
  /** What is broken, with both figures; why nothing is known; or what was looked at. */
  readonly why?: string | undefined;
}

// Thrown, not returned: a law is a list of requirements, each of which may end it, from within loops and readers.
class Broken extends Error {}
export class Inconclusive extends Error {}

/** Ends a look: the law is broken, unless it holds here. */
export function ensure(holds: boolean, why: () => string): asserts holds {
  if (!holds) throw new Broken(why());
}

/** Ends a look: it can't tell. */
export function inconclusive(why: string): never {
  throw new Inconclusive(why);
}

/** What the laws look at. Whoever reads the trace of a run that isn't known whole can't tell. */
export function createLawContext(played: Played): LawContext {
  const found = new Map<string, unknown>();
  const { trace, gap } = played;
  return {
    ...played,
    get trace(): TraceReader {
      return gap === undefined ? trace : inconclusive(gap);
    },
    memoize<Found>(name: string, find: () => Found): Found {
      // What stands under a name is what its finder gave.
      if (found.has(name)) return found.get(name) as Found;
      const value = find();
      found.set(name, value);
      return value;
    },
  };
}

/** Broken where any look finds it broken, held where any finds it to hold and none misses a part of the trace. */
export function judge(law: Law, played: LawContext): Judgement {
  const { seen, tried, again, withoutRerun = needsRerun, notCheckedHere } = law;
  const found: string[] = [];
  const missing: string[] = notCheckedHere === undefined ? [] : [notCheckedHere];
  for (const look of [seen, tried, again]) {
    if (look === undefined) continue;
    if (look === again && played.again === needsRerun) {
      // What the others found, or lack, says more.
      if (found.length === 0 && missing.length === 0) missing.push(withoutRerun);
      continue;
    }
    try {
      found.push(look(played));
    } catch (thrown) {
      if (thrown instanceof Broken || thrown instanceof ServiceThrew)
        return { verdict: "broken", why: shownReason(thrown.message) };
      if (!(thrown instanceof Inconclusive)) throw thrown;
      // Half of a law isn't the law: what rests on the trace would be missing.
      if (thrown.message === played.gap && look !== again)
        return { verdict: "unknown", why: played.gap };
      if (!missing.includes(thrown.message)) missing.push(thrown.message);
    }
  }
  return found.length > 0
    ? { verdict: "held", why: shownReason(found.join("; ")) }
    : { verdict: "unknown", why: shownReason(missing.join("; ")) };
}

const MAX_SAID = 600;

function shownReason(why: string): string {
  const shown = withoutSecrets(why);
  return shown.length <= MAX_SAID ? shown : `${shown.slice(0, MAX_SAID)}…`;
}

/** Several looks as one: all of them must hold, and each that can't tell is left out. */
export function combineChecks(...all: readonly LawCheck[]): LawCheck {
  return (played) => {
    const found: string[] = [];
    const missing: string[] = [];
    for (const look of all) {
      try {
        found.push(look(played));
      } catch (thrown) {
        if (!(thrown instanceof Inconclusive) || thrown.message === played.gap) throw thrown;
        missing.push(thrown.message);
      }
    }
    if (found.length === 0) inconclusive([...new Set(missing)].join("; "));
    return found.join("; ");
  };
}

/** All readings in force. */
export function readingsOf({ readings }: Played): Assumptions {
  return readings === undefined
    ? inconclusive("the assumptions of a service other than adsim aren't known")
    : resolveAssumptions(readings);
}

/** The same, or undefined of a foreign service. */
export function knownReadingsOf(played: Played): Assumptions | undefined {
  return played.readings === undefined ? undefined : readingsOf(played);
}

/** The same, where they were in force all along. */
export function steadyReadingsOf(played: Played): Assumptions {
  const readings = readingsOf(played);
  if (played.trace.assumedAt !== undefined) inconclusive("assumptions changed during the run");
  return readings;
}

/** Ends a look unless two texts are the same. `where` stands before the place at which they differ. */
export function ensureSame(before: string, after: string, where = ""): void {
  ensure(before === after, () => `${where}${where && ", "}${firstDifference(before, after)}`);
}

function firstDifference(before: string, after: string): string {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const from = Math.max(0, at - 40);
  return `${before.slice(from, at + 60)} became ${after.slice(from, at + 60)}`;
}
