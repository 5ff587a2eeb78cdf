/** `GET report`: what the clients of a world did wrong. */

import type { ClientReport } from "../audit/client-report.ts";
import type { SimulatorCore } from "../simulator.ts";

/** The report of the world that is asked. */
export function report({ world }: { readonly world: SimulatorCore }): {
  readonly kind: "json";
  readonly value: ClientReport;
} {
  return { kind: "json", value: world.report() };
}
