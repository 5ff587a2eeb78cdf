/** Every invariant by id, held against what any simulator did so far: in this process, aside, without a trace in it. */

import { didYouMean } from "../../base/did-you-mean.ts";
import { InputError } from "../../base/input.ts";
import { withoutSecrets } from "../../journal/secrets.ts";
import type { Evidence, Invariant, Judgement } from "../../play/invariants/evidence.ts";
import { invariants as all } from "../../play/invariants/invariants.ts";
import type { TraceReader } from "../../play/invariants/trace.ts";
import type { Performers } from "../../play/player/effects.ts";
import { driveAtOnce, performed, performersOn } from "../../play/player/in-process.ts";
import type { InvariantResult } from "../../play/player/result.ts";
import { createSimulatorCore, type SimulatorCore } from "../../simulator/simulator.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import { fakerPeople } from "../../world/publishers/people.ts";
import { evidenceOf } from "./evidence-of.ts";
import { recordedOf } from "./recorded.ts";
import {
  Different,
  MOST_REPLAYED,
  NotTried,
  type Replayable,
  replayedLaws,
  reproducedIn,
} from "./replayed.ts";

export interface CheckInvariantsOptions {
  /** Which of them, such as `["M1", "D2"]`. @default all */
  readonly ids?: readonly string[] | undefined;
  /** Makes a new world, for the laws that take more than one. @default the simulator's own kind */
  readonly create?: ((options: SimulatorOptions) => SimulatorCore) | undefined;
}

/** What always holds, in the order of the list: money, stats, recording, limits, isolation, determinism, shape. */
export const invariants: readonly Pick<Invariant, "id" | "says">[] = all.map(({ id, says }) =>
  Object.freeze({ id, says }),
);

/**
 * Holds a simulator against the invariants: what was sent to it and answered so far, as its journal has it, what a world
 * aside that goes on from it answers, and for some the same requests in new worlds. The simulator is only read.
 *
 * `held`: looked at, and so it was; `why` says what was looked at. `broken`: `why` has both sides. `unknown`: nothing
 * tells, and `why` says what it would take; so is all that rests on a journal that no longer has every request.
 *
 * What was done by hand stands in no journal: sign-ups and rotated keys are made out; of a surface whose price range was
 * changed the prices aren't judged, and a range that was changed and changed back counts as never changed.
 *
 * @throws InputError for an id that no invariant has.
 */
export function checkInvariants(
  sim: SimulatorCore,
  { ids, create = createNew }: CheckInvariantsOptions = {},
): readonly InvariantResult[] {
  const asked = all.filter(({ id }) => ids === undefined || ids.includes(id));
  for (const [place, id] of (ids ?? []).entries()) mustBeKnown(id, place);
  const recorded = recordedOf(sim);
  const pristine = create({ ...recorded.options, clock: "frozen" });
  const evidence = evidenceOf(sim, recorded, pristine);
  const performers = performersFor(sim);
  const run: Replayable = { recorded, create, entries: recorded.entries.slice(0, MOST_REPLAYED) };
  let reproduced: number | undefined;
  const judgeReplayed = (id: string): Judgement | undefined => {
    reproduced ??= run.entries.length === 0 ? 0 : reproducedIn(run);
    return replayedJudgement(id, run, reproduced);
  };
  return asked.map((one) => {
    const judged =
      recorded.gap === undefined
        ? driveAtOnce(one.check(evidence), performers)
        : judgedByHalf(sim, evidence, recorded.gap, one);
    const again = replayedLaws[one.id] === undefined ? undefined : judgeReplayed(one.id);
    return { id: one.id, says: one.says, ...bothOf(judged, again) };
  });
}

function createNew(options: SimulatorOptions): SimulatorCore {
  return createSimulatorCore(options, { people: () => fakerPeople });
}

function mustBeKnown(id: string, place: number): void {
  const known = all.map((one) => one.id);
  if (known.includes(id)) return;
  const hint = didYouMean(id, known);
  throw new InputError(
    `ids.${place}`,
    `is not the id of an invariant: they are ${known.join(", ")}.${hint}`,
    "not-found",
  );
}

/** Without a whole journal: what is tried aside still tells, what rests on the run doesn't. */
function judgedByHalf(
  sim: SimulatorCore,
  evidence: Evidence,
  gap: string,
  { check }: Invariant,
): Judgement {
  // Each with evidence of its own, which tells whether the journal was looked at.
  let looked = false;
  const watched: TraceReader = new Proxy(evidence.trace, {
    get(trace, name, receiver) {
      looked = true;
      return Reflect.get(trace, name, receiver);
    },
  });
  const judged = driveAtOnce(check({ ...evidence, trace: watched }), performersFor(sim));
  if (!looked || judged.verdict === "broken") return judged;
  return { verdict: "unknown", why: gap };
}

/** Reads the simulator, and does the rest in a world aside whose time stands still. */
function performersFor(sim: SimulatorCore): Performers {
  const nowMs = sim.clock.now();
  let aside: Performers | undefined;
  return {
    ...performersOn(sim),
    now: () => (sim.clock.mode === "frozen" ? sim.clock.now() : nowMs),
    fork() {
      const world = sim.fork();
      world.clock.set({ mode: "frozen" });
      aside = performersOn(world);
      return undefined;
    },
    aside({ effect }) {
      if (aside === undefined) throw new Error("There is no world aside yet.");
      return performed(effect, aside);
    },
  };
}

function replayedJudgement(id: string, run: Replayable, reproduced: number): Judgement {
  const { recorded, entries } = run;
  const law = replayedLaws[id];
  if (recorded.gap !== undefined) return { verdict: "unknown", why: recorded.gap };
  if (law === undefined || entries.length === 0)
    return { verdict: "unknown", why: "nothing was sent that could be played again" };
  if (reproduced === 0)
    return { verdict: "unknown", why: "in a new world no request is answered as it was" };
  try {
    const what = law(run);
    const count = `${entries.length} requests played again, ${reproduced} answered as before`;
    return { verdict: "held", why: `${count}: ${what}` };
  } catch (thrown) {
    if (thrown instanceof NotTried) return { verdict: "unknown", why: thrown.message };
    if (!(thrown instanceof Different)) throw thrown;
    return { verdict: "broken", why: told(thrown.message) };
  }
}

const MOST_SAID = 600;

function told(why: string): string {
  const shown = withoutSecrets(why);
  return shown.length <= MOST_SAID ? shown : `${shown.slice(0, MOST_SAID)}…`;
}

/** Broken where either is; held where either is, and the other isn't kept from looking by a gap. */
function bothOf(judged: Judgement, again: Judgement | undefined): Judgement {
  if (again === undefined || judged.verdict === "broken") return judged;
  if (again.verdict === "broken" || judged.verdict === "unknown") return again;
  if (again.verdict === "unknown") return { ...judged, why: `${judged.why}; ${again.why}` };
  return { verdict: "held", why: `${judged.why}; ${again.why}` };
}
