/** What an invariant is judged by, and how a judgement is put into words. */

import { withoutSecrets } from "../../journal/secrets.ts";
import type { Readings } from "../../simulator/simulator-options.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import type { Abilities, Member, Playing } from "../player/effects.ts";
import type { Verdict } from "../player/result.ts";
import type { TraceReader } from "./trace.ts";

/** All that is known of a run. */
export interface Evidence {
  readonly trace: TraceReader;
  readonly abilities: Abilities;
  /** Publishers that took part, as they are now; some of them, where there are many. */
  readonly members: readonly Member[];
  /** The readings in force now. Undefined of a foreign service. */
  readonly assumptions: Readings | undefined;
}

export interface Judgement {
  readonly verdict: Verdict;
  /** What is broken, with both figures; why nothing is known; or what was looked at. */
  readonly why?: string | undefined;
}

export interface Invariant {
  readonly id: string;
  readonly says: string;
  check(evidence: Evidence): Playing<Judgement>;
}

/** Looks at one side of the evidence, and gives what it looked at. It throws {@link Broken} or {@link NotKnown}. */
export type Look = (evidence: Evidence) => Playing<string>;

// Thrown, not returned: a law is a list of requirements, each of which may end it, from within loops and readers.
class Broken extends Error {}
class NotKnown extends Error {}

/** Ends a look: the law is broken, unless it holds here. */
export function require(holds: boolean, why: () => string): asserts holds {
  if (!holds) throw new Broken(why());
}

/** Ends a look: it can't tell. */
export function notKnown(why: string): never {
  throw new NotKnown(why);
}

/** An invariant that holds where any look finds it to hold, and none finds it broken. */
export function invariant(id: string, says: string, ...looks: readonly Look[]): Invariant {
  return {
    id,
    says,
    *check(evidence) {
      const found: string[] = [];
      const missing: string[] = [];
      for (const look of looks) {
        try {
          found.push(yield* look(evidence));
        } catch (thrown) {
          if (thrown instanceof Broken) return { verdict: "broken", why: told(thrown.message) };
          if (!(thrown instanceof NotKnown)) throw thrown;
          if (!missing.includes(thrown.message)) missing.push(thrown.message);
        }
      }
      return found.length > 0
        ? { verdict: "held", why: told(found.join("; ")) }
        : { verdict: "unknown", why: told(missing.join("; ")) };
    },
  };
}

/** A look at what needs more than one play of one world. */
export function elsewhere(why: string): Look {
  // biome-ignore lint/correctness/useYield: every look is a generator; this one has nothing done.
  return function* () {
    notKnown(why);
  };
}

const MOST_SAID = 600;

function told(why: string): string {
  const shown = withoutSecrets(why);
  return shown.length <= MOST_SAID ? shown : `${shown.slice(0, MOST_SAID)}…`;
}

const known = new WeakMap<Evidence, Map<string, unknown>>();

/** What several laws look at is found out once. */
export function* once<Found>(
  evidence: Evidence,
  name: string,
  find: () => Playing<Found>,
): Playing<Found> {
  const all = known.get(evidence) ?? new Map<string, unknown>();
  known.set(evidence, all);
  // What stands under a name is what its finder gave.
  if (all.has(name)) return all.get(name) as Found;
  const found = yield* find();
  all.set(name, found);
  return found;
}

/** All readings in force. */
export function readingsOf({ assumptions }: Evidence): Assumptions {
  return assumptions === undefined
    ? notKnown("the readings of a foreign service aren't known")
    : resolveAssumptions(assumptions);
}

/** The same, where they were in force all along. */
export function steadyReadingsOf(evidence: Evidence): Assumptions {
  const readings = readingsOf(evidence);
  if (evidence.trace.assumedAt !== undefined)
    notKnown("other readings were assumed during the run");
  return readings;
}
