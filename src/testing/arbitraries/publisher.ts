/** Random publishers of a simulator, mostly the first ones. A failure shrinks to the first. */

import fc from "fast-check";
import { InputError } from "../../base/input.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import type { Publisher } from "../../world/accounts/account.ts";
import { isSimulator, withDefaults } from "../options.ts";

export interface ArbitraryPublisherOptions {
  /** The simulator. It is only read. */
  readonly sim: SimulatorCore;
  /** `active`: only publishers with an active surface. @default "any" */
  readonly surfaces?: "any" | "active" | undefined;
}

/** Four of five picks are among the first ones. */
const FAVOURED = 4;

/**
 * Draws from the publishers that exist when this is called; each value has the publisher's current data.
 *
 * @throws InputError that names the invalid option, or if no publisher has an active surface.
 */
export function arbitraryPublisher(
  options: SimulatorCore | ArbitraryPublisherOptions,
): fc.Arbitrary<Publisher> {
  const given = isSimulator(options) ? { sim: options } : options;
  const { sim, surfaces } = withDefaults(given, { sim: given.sim, surfaces: "any" });
  const last = sim.publishers.total - 1;
  const pick = (ordinal: number): Publisher =>
    surfaces === "any" ? sim.publishers.at(ordinal) : activeFrom(sim, ordinal);
  // Throws here rather than in the middle of a property.
  pick(0);
  return fc
    .oneof(
      { weight: 4, arbitrary: fc.nat(Math.min(FAVOURED - 1, last)) },
      { weight: 1, arbitrary: fc.nat(last) },
    )
    .map(pick);
}

/** This publisher, or the next with an active surface. After the last comes the first. */
function activeFrom({ publishers }: SimulatorCore, ordinal: number): Publisher {
  const { total } = publishers;
  for (let step = 0; step < total; step += 1) {
    const publisher = publishers.at((ordinal + step) % total);
    if (publisher.surfaces.some(({ status }) => status === "active")) return publisher;
  }
  throw new InputError(
    "sim",
    "must have a publisher with an active surface: sign one up, or set a surface's status",
    "conflict",
  );
}
