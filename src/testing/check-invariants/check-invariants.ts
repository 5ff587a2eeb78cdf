/** Checks a simulator in this process against the invariants, without changing it. */

import { didYouMean } from "../../base/did-you-mean.ts";
import { InputError } from "../../base/input.ts";
import type { Invariant } from "../../invariants/invariant.ts";
import {
  invariants as all,
  type InvariantResult,
  judgeInvariants,
} from "../../invariants/invariants.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import { playedBy } from "./played-by.ts";

export interface CheckInvariantsOptions {
  /** The ids to check, such as `["M1", "D2"]`. @default all */
  readonly ids?: readonly string[] | undefined;
}

/** In this order: money, stats, recording, limits, isolation, shape. */
export const invariants: readonly Pick<Invariant, "id" | "says">[] = all.map(({ id, says }) =>
  Object.freeze({ id, says }),
);

/**
 * Checks a simulator against the invariants: the requests and answers in its journal, and the answers of a fork of it. The
 * simulator itself is only read.
 *
 * `passed`: `why` says what was checked. `failed`: `why` says what was expected and what was found. `undecided`: it
 * couldn't be checked, and `why` says what that would take, for example a journal that still has every request.
 *
 * The journal doesn't have what was changed by hand. The prices of a surface aren't checked if its price range was changed;
 * a range that was changed back counts as never changed.
 *
 * @throws InputError for an unknown id.
 */
export function checkInvariants(
  sim: SimulatorCore,
  { ids }: CheckInvariantsOptions = {},
): readonly InvariantResult[] {
  for (const [place, id] of (ids ?? []).entries()) mustBeKnown(id, place);
  return [...judgeInvariants(playedBy(sim), ids)];
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
