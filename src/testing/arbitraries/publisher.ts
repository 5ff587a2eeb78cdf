/** Random publishers of a simulator, mostly the first ones. A failure shrinks to the first. */

import fc from "fast-check";
import type { SimulatorCore } from "../../simulator/core.ts";
import type { Publisher } from "../../world/accounts/account.ts";
import { checkSimulator } from "../options.ts";

/** Draws from the publishers that exist when this is called; each value has the publisher's current data. */
export function arbitraryPublisher(sim: SimulatorCore): fc.Arbitrary<Publisher> {
  checkSimulator(sim);
  const last = sim.publishers.total - 1;
  const first = { weight: 4, arbitrary: fc.nat(Math.min(3, last)) };
  return fc
    .oneof(first, { weight: 1, arbitrary: fc.nat(last) })
    .map((ordinal) => sim.publishers.at(ordinal));
}
