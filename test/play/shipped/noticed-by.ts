/** A defect that several scenarios notice, as one for each. */

import type { Defect } from "./defect.ts";

export function noticedBy(
  scenarios: readonly string[],
  planted: Omit<Defect, "scenario">,
): readonly Defect[] {
  return scenarios.map((scenario) => ({ scenario, ...planted }));
}
