/** Checks a simulator in this process against the laws, without changing it. */

import { didYouMean } from "../../base/did-you-mean.ts";
import { InputError } from "../../base/input.ts";
import { judge } from "../../laws/judge.ts";
import { createLawContext, type Law } from "../../laws/law.ts";
import { laws } from "../../laws/laws.ts";
import type { InvariantResult } from "../../play/player/result.ts";
import { createSimulatorCore } from "../../simulator/core.ts";
import type { SimulatorCore } from "../../simulator/simulator.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import { fakerHost } from "../../world/publishers/people.ts";
import { playedBy } from "./played-by.ts";

export interface CheckInvariantsOptions {
  /** The ids to check, such as `["M1", "D2"]`. @default all */
  readonly ids?: readonly string[] | undefined;
  /** Makes a new world, for laws that need more than one. @default a simulator in this process */
  readonly create?: ((options: SimulatorOptions) => SimulatorCore) | undefined;
}

/** In this order: money, stats, recording, limits, isolation, determinism, shape. */
export const invariants: readonly Pick<Law, "id" | "says">[] = laws.map(({ id, says }) =>
  Object.freeze({ id, says }),
);

/**
 * Checks a simulator against the invariants: the requests and answers in its journal, the answers of a fork of it, and
 * for some invariants the answers to the same requests in new worlds. The simulator itself is only read.
 *
 * `held`: `why` says what was checked. `broken`: `why` says what was expected and what was found. `unknown`: it
 * couldn't be checked, and `why` says what that would take, for example a journal that still has every request.
 *
 * The journal doesn't have what was changed by hand. New publishers and rotated keys are recognised. The prices of a
 * surface aren't checked if its price range was changed; a range that was changed back counts as never changed.
 *
 * @throws InputError for an unknown id.
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
  return createSimulatorCore(options, fakerHost);
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
