/** The truth about a world, and how its clients behaved: `GET audit` and `GET report`. */

import type { Work } from "../spec/work.ts";
import type { Call, ControlRoute, Reply } from "./routes.ts";

export const auditRoutes: readonly ControlRoute[] = [
  { method: "GET", path: "audit", answer: audit },
  { method: "GET", path: "report", answer: report },
];

function* report({ world }: Call): Work<Reply> {
  return { kind: "json", value: yield* world.reporting() };
}

/** What `sim.audit()` gives, less what is for a program alone. */
function* audit({ world }: Call): Work<Reply> {
  const { assertNothingLostOrDoubled: _, ...value } = yield* world.auditing();
  return { kind: "json", value };
}
