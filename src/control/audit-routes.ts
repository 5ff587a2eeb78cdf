/** The truth about a world, and how its clients behaved: `GET audit` and `GET report`. */

import type { Call, ControlRoute, Reply } from "./routes.ts";

export const auditRoutes: readonly ControlRoute[] = [
  { method: "GET", path: "audit", answer: audit },
  {
    method: "GET",
    path: "report",
    answer: ({ world }) => ({ kind: "json", value: world.report() }),
  },
];

/** What `sim.audit()` gives, less what is for a program alone. */
function audit({ world }: Call): Reply {
  const { assertNothingLostOrDoubled: _, ...value } = world.audit();
  return { kind: "json", value };
}
