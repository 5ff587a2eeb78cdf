/** Every law by id, held against what any simulator did so far: in this process, aside, without a trace in it. */

import { didYouMean } from "../../base/did-you-mean.ts";
import { InputError } from "../../base/input.ts";
import { createLawContext, judge, type Law } from "../../laws/law.ts";
import { laws } from "../../laws/laws.ts";
import type { InvariantResult } from "../../play/player/result.ts";
import { createSimulatorCore, type SimulatorCore } from "../../simulator/simulator.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import { fakerPerson } from "../../world/publishers/people.ts";
import { playedBy } from "./played-by.ts";

export interface CheckInvariantsOptions {
  /** Which of them, such as `["M1", "D2"]`. @default all */
  readonly ids?: readonly string[] | undefined;
  /** Makes a new world, for the laws that take more than one. @default the simulator's own kind */
  readonly create?: ((options: SimulatorOptions) => SimulatorCore) | undefined;
}

/** What always holds, in the order of the list: money, stats, recording, limits, isolation, determinism, shape. */
export const invariants: readonly Pick<Law, "id" | "says">[] = laws.map(({ id, says }) =>
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
  for (const [place, id] of (ids ?? []).entries()) mustBeKnown(id, place);
  const looked = createLawContext(playedBy(sim, create));
  return laws
    .filter(({ id }) => ids === undefined || ids.includes(id))
    .map((law) => ({ id: law.id, says: law.says, ...judge(law, looked) }));
}

function createNew(options: SimulatorOptions): SimulatorCore {
  return createSimulatorCore(options, { people: () => fakerPerson });
}

function mustBeKnown(id: string, place: number): void {
  const known = laws.map((one) => one.id);
  if (known.includes(id)) return;
  const hint = didYouMean(id, known);
  throw new InputError(
    `ids.${place}`,
    `is not the id of an invariant: they are ${known.join(", ")}.${hint}`,
    "not-found",
  );
}
