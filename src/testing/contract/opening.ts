/** Whether a client could be made: without one there is nothing that any rule could be tried on. */

import type { Session } from "../session/session.ts";
import { outcomeInWords } from "../session/words.ts";
import { must } from "./rule.ts";

/** No fault is in force yet: a client that can't be made in a world like this one breaks whatever rule is tried there. */
export function mustOpen({ steps: [opening] }: Session): void {
  const outcome = opening?.outcome ?? { kind: "stuck" as const };
  must(
    outcome.kind === "done",
    () =>
      `Nothing was wrong with the service when the client was made, and ${outcomeInWords(outcome)}.`,
  );
}
