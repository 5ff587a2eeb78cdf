/** What a test runner's fixtures give to a test: its world, and whom the test speaks for. */

import { InputError } from "../base/input.ts";
import type { SimulatorCore } from "../simulator/core.ts";
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

/** The first publisher with an active surface. If there is none, one signs up. */
export function firstActivePublisher({ publishers }: SimulatorCore): Publisher {
  for (let place = 0; place < publishers.total; place += 1) {
    const publisher = publishers.at(place);
    if (publisher.surfaces.some(isActive)) return publisher;
  }
  return publishers.signUp({ surfaces: ["Sidebar"] });
}

/** @throws InputError if the publisher, which may be a test's own, has none. */
export function activeSurfaceOf({ surfaces }: Publisher): Surface {
  const surface = surfaces.find(isActive);
  if (surface === undefined) throw new InputError("publisher", "must have an active surface");
  return surface;
}

function isActive({ status }: Surface): boolean {
  return status === "active";
}
