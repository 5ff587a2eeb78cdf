/** Requests that the journal records. */

import type { Simulator } from "../../src/index.ts";
import { impressionIdIn, senderOf } from "../sender.ts";

export function bearer(
  sim: Pick<Simulator, "publishers">,
  index: number,
): { authorization: string } {
  return { authorization: `Bearer ${sim.publishers.at(index).apiKey}` };
}

/** Requests the surfaces of the publisher at `place`. @returns the status. */
export function askSurfaces(sim: Simulator, index: number): number {
  return senderOf(sim, sim.publishers.at(index)).get("surfaces").status;
}

/** Records an impression. @returns its id. */
export function record(
  sim: Pick<Simulator, "publishers" | "handle">,
  index: number,
  ad_id = "ad",
): string {
  return impressionIdIn(senderOf(sim, sim.publishers.at(index)).impression({ ad_id }));
}
