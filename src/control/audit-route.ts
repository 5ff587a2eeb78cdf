/** `GET audit`: what `sim.audit()` gives, less what is for a program alone. */

import type { Call, Reply } from "./routes.ts";

export function answerAudit({ world }: Call): Reply {
  const { assertNothingLostOrDoubled: _, ...audit } = world.audit();
  return { kind: "json", value: audit };
}
