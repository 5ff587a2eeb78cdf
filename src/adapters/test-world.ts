/** The world that a test runner's fixtures give to a test: its options, and whom the test speaks for. */

import { InputError } from "../base/input.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import type { SimulatorOptions } from "../simulator/simulator-options.ts";
import type { Publisher, Surface } from "../world/accounts/account.ts";
import type { Simulator } from "./create-simulator.ts";

/** The fixtures that a test gets from every runner. */
export interface WorldFixtures {
  /** The world. No other test sees it, and it ends with the test. */
  sim: Simulator;
  /** The first publisher with an active surface. It has seeded history before the world's first day. */
  publisher: Publisher;
  /** Its first active surface. */
  surface: Surface;
  /** Its key. */
  apiKey: string;
}

/** @throws InputError if it isn't an object. What is in it is checked when the simulator is made. */
export function readSimOptions(options: SimulatorOptions): SimulatorOptions {
  if (typeof options === "object" && options !== null && !Array.isArray(options)) return options;
  throw new InputError("simOptions", 'must be an object of options, such as { seed: "42" }');
}

/** The first publisher with an active surface, and that surface. */
export function firstActiveSurface({ publishers }: SimulatorCore): {
  readonly publisher: Publisher;
  readonly surface: Surface;
} {
  for (let place = 0; place < publishers.total; place += 1) {
    const publisher = publishers.at(place);
    const surface = findActive(publisher);
    if (surface !== undefined) return { publisher, surface };
  }
  const publisher = publishers.signUp({ surfaces: ["Sidebar"] });
  const [surface] = publisher.surfaces;
  if (surface === undefined)
    throw new Error("A sign-up without its surface. This is a bug in adsim.");
  return { publisher, surface };
}

/** The first active surface of this publisher, or of the first one that has any. */
export function activeSurfaceOf(publisher: Publisher, sim: SimulatorCore): Surface {
  return findActive(publisher) ?? firstActiveSurface(sim).surface;
}

function findActive({ surfaces }: Publisher): Surface | undefined {
  return surfaces.find(({ status }) => status === "active");
}
