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
  const { total } = sim.publishers;
  /** This publisher, or the next that is wanted. After the last comes the first. */
  function pick(ordinal: number): Publisher {
    for (let step = 0; step < total; step += 1) {
      const publisher = sim.publishers.at((ordinal + step) % total);
      const isActive = publisher.surfaces.some(({ status }) => status === "active");
      if (surfaces === "any" || isActive) return publisher;
    }
    throw new InputError("sim", "must have a publisher with an active surface", "conflict");
  }
  // Throws here rather than in the middle of a property.
  pick(0);
  const first = { weight: 4, arbitrary: fc.nat(Math.min(3, total - 1)) };
  return fc.oneof(first, { weight: 1, arbitrary: fc.nat(total - 1) }).map(pick);
}
