/** Requests for the journal to write down. */

import type { Simulator } from "../../src/index.ts";

export function bearer(
  sim: Pick<Simulator, "publishers">,
  index: number,
): { authorization: string } {
  return { authorization: `Bearer ${sim.publishers.at(index).apiKey}` };
}

/** Asks for the surfaces of the publisher at a place. @returns the status. */
export function askSurfaces(sim: Simulator, index: number): number {
  const query = { publisher_id: sim.publishers.at(index).id };
  const path = "/v1/publisher/surfaces";
  return sim.handle({ method: "GET", path, query, headers: bearer(sim, index) }).status;
}

/** Records an impression. @returns its id. */
export function record(
  sim: Pick<Simulator, "publishers" | "handle">,
  index: number,
  adId = "ad",
): string {
  const { id, surfaces } = sim.publishers.at(index);
  const body = { publisher_id: id, surface: surfaces[0]?.id, ad_id: adId };
  const headers = bearer(sim, index);
  const answer = sim.handle({ method: "POST", path: "/v1/impression", headers, body });
  return /"impression_id":"([^"]+)"/.exec(answer.body)?.[1] ?? "";
}
