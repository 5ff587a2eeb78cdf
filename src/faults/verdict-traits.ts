/** What each kind of verdict can do to an answer, for code that reads traffic and not the verdict itself. */

import type { VerdictKind } from "./verdict.ts";

interface VerdictTraits {
  /** What the client may notice besides a delay. `missing`: it may get no answer at all, however long it waits. */
  readonly answer: "kept" | "slow" | "cut" | "missing";
  /** Whether the body may be one that the service didn't write. */
  readonly replacesBody: boolean;
}

export const verdictTraits: Readonly<Record<VerdictKind, VerdictTraits>> = {
  delay: { answer: "kept", replacesBody: false },
  respond: { answer: "kept", replacesBody: true },
  drop: { answer: "missing", replacesBody: false },
  "lose-response": { answer: "missing", replacesBody: false },
  timeout: { answer: "missing", replacesBody: false },
  reset: { answer: "missing", replacesBody: false },
  empty: { answer: "missing", replacesBody: false },
  truncate: { answer: "cut", replacesBody: false },
  garbage: { answer: "missing", replacesBody: true },
  "wrong-body": { answer: "kept", replacesBody: true },
  drip: { answer: "slow", replacesBody: false },
  duplicate: { answer: "kept", replacesBody: false },
  reorder: { answer: "slow", replacesBody: false },
};
