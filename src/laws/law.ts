/** Defines laws: what they check, and what they can read. */

import type { JournalEntry } from "../journal/entry.ts";
import type { SimulatorCore } from "../simulator/simulator.ts";
import type { Readings } from "../simulator/simulator-options.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import type { Member } from "./client-exchange.ts";
import type { RerunPlan } from "./rerun-plan.ts";
import type { TraceReader } from "./trace.ts";

/**
 * Returns a text that says what was checked. Throws as {@link ensure} and {@link inconclusive} do.
 */
export type LawCheck = (played: LawContext) => string;

export interface Law {
  readonly id: string;
  readonly says: string;
  /** Checks the answers of the run; works for foreign services too. */
  readonly checkTrace?: LawCheck;
  /** Tries the law in copies of the world as it is now. */
  readonly checkCopy?: LawCheck | readonly LawCheck[];
  /** Repeats the run in new worlds. */
  readonly checkRerun?: LawCheck | readonly LawCheck[];
  /** The reason to give if nothing is repeated. @default {@link needsRerun} */
  readonly withoutRerun?: string;
  /** Why no check here can judge it. */
  readonly notCheckedHere?: string;
}

/** A play is played only once. */
export const needsRerun = "needs a second play: the property tests do it";

/** A world, and what was done to it. */
export interface Played {
  readonly trace: TraceReader;
  /** Why the trace doesn't explain the whole state; undefined if it does. */
  readonly gap?: string | undefined;
  /** Whether the times in the trace are exactly those at which the service answered. */
  readonly isExactTime: boolean;
  /** Publishers to try the laws on, as they are now. */
  readonly members: readonly Member[];
  /** The choices in force now. Undefined for a foreign service. */
  readonly readings: Readings | undefined;
  /** The world as it is now, or why it can't be copied. */
  readonly world: PlayedWorld | string;
  /** How to repeat the run in new worlds, or why that is impossible. */
  readonly rerunPlan: RerunPlan | string;
  /** The service's journal. It tells the service's answers from those of fault rules. */
  readonly journal: () => readonly JournalEntry[];
  /** The most things of one kind, such as a publisher's payouts, to check. */
  readonly sampleSize: number;
}

/** Laws copy and audit it, and never change it. */
export type PlayedWorld = Pick<SimulatorCore, "audit" | "clock" | "fork">;

export interface LawContext extends Played {
  /** Computes once what several laws need. */
  memoize<Found>(name: string, find: () => Found): Found;
}

export type LawVerdict = "held" | "broken" | "unknown";

export interface Judgement {
  readonly verdict: LawVerdict;
  /** What is broken, with both figures; or why the verdict is unknown; or what was checked. */
  readonly why?: string | undefined;
}

// Exceptions, because any requirement of a law can end it, even from within loops and helpers.
export class Broken extends Error {}
export class Inconclusive extends Error {}

/** Ends a check with "broken" unless `holds`. */
export function ensure(holds: boolean, why: () => string): asserts holds {
  if (!holds) throw new Broken(why());
}

/** Ends a check with "unknown". */
export function inconclusive(why: string): never {
  throw new Inconclusive(why);
}

/** If the trace has a gap, a check that reads it is inconclusive. */
export function createLawContext(played: Played): LawContext {
  const found = new Map<string, unknown>();
  const { trace, gap } = played;
  return {
    ...played,
    get trace(): TraceReader {
      return gap === undefined ? trace : inconclusive(gap);
    },
    memoize<Found>(name: string, find: () => Found): Found {
      if (!found.has(name)) found.set(name, find());
      // Safe: each name belongs to one `find`.
      return found.get(name) as Found;
    },
  };
}

/** All choices in force. */
export function readingsOf({ readings }: Played): Assumptions {
  return readings === undefined
    ? inconclusive("the assumptions of a service other than adsim aren't known")
    : resolveAssumptions(readings);
}

/** All choices in force; undefined for a foreign service. */
export function knownReadingsOf(played: Played): Assumptions | undefined {
  return played.readings === undefined ? undefined : readingsOf(played);
}

/** All choices in force; inconclusive if any changed during the run. */
export function steadyReadingsOf(played: Played): Assumptions {
  const readings = readingsOf(played);
  if (played.trace.assumedAt !== undefined) inconclusive("assumptions changed during the run");
  return readings;
}

/** Ends a check with "broken" unless two texts are equal. `where` introduces the difference. */
export function ensureSame(before: string, after: string, where = ""): void {
  ensure(before === after, () => `${where}${where && ", "}${firstDifference(before, after)}`);
}

function firstDifference(before: string, after: string): string {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const from = Math.max(0, at - 40);
  return `${before.slice(from, at + 60)} became ${after.slice(from, at + 60)}`;
}
