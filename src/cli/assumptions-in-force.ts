/** For commands that need no world: the assumptions, once all options would make one. A wrong one is wrong everywhere. */

import { nodeSurroundings } from "../adapters/node-surroundings.ts";
import { createSimulatorCore } from "../simulator/simulator.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import { type CommonFlags, simulatorOptions } from "./options.ts";

/** @throws InputError that names the option at fault. */
export async function assumptionsInForce(flags: CommonFlags): Promise<Assumptions> {
  const options = await simulatorOptions(flags, "frozen");
  return createSimulatorCore({ ...options, wallClock: Date.now }, nodeSurroundings).assumptions;
}
