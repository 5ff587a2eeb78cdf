/** What breaks whatever rule is tried: a client that couldn't be made, and one that would have taken its process with it. */

import type { Session } from "../../session/session.ts";
import { durationInWords, errorInWords, outcomeInWords } from "../../session/words.ts";
import { must } from "../rule.ts";

/** No fault is in force yet: a client that can't be made in a world like this one breaks whatever rule is tried there. */
export function mustOpen({ steps: [opening] }: Session): void {
  const outcome = opening?.outcome ?? { kind: "stuck" as const };
  must(
    outcome.kind === "done",
    () =>
      `Nothing was wrong with the service when the client was made, and ${outcomeInWords(outcome)}.`,
  );
}

/** @throws BrokenRule where a callback of the client's timers threw: nobody is there to catch that. */
export function mustNotThrow({ threw, steps }: Session): void {
  must(threw === undefined, () => {
    const afterMs = (threw?.atMs ?? 0) - (steps[0]?.atMs ?? 0);
    return (
      `A timer of the client threw: ${errorInWords(threw?.error)}, ${durationInWords(afterMs)} into its life. ` +
      "Nobody can catch that: in Node it ends the process."
    );
  });
}
