/** Stands in. */
import type { SimulatorCore } from "../../simulator.ts";
import type { Punctuality, TrafficOrder } from "../player/effects.ts";
export function runTraffic(_sim: SimulatorCore, _order: TrafficOrder): Punctuality {
  throw new Error("Traffic isn't there yet.");
}
