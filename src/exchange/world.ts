/** Everything that the request path works on: one world's parts, wired by the simulator. */

import type { Clock } from "../base/clock.ts";
import type { VerdictCheck } from "../faults/installed-rule.ts";
import type { RuleList } from "../faults/rule-list.ts";
import type { WorldDescription } from "../world/publishers/world-settings.ts";
import type { AllowedOrigins } from "./cors.ts";
import type { Meter } from "./meter.ts";
import { dedupWindowOf, type OperationWorld } from "./operations/operation-world.ts";

export interface World extends OperationWorld {
  /** What every journal record says of the world. */
  readonly about: WorldDescription;
  readonly clock: Clock;
  readonly rules: RuleList;
  /** Which verdicts the transports in use can't carry out. */
  readonly whyNot: VerdictCheck;
  /** Whether every response says in a header which open points shaped it. */
  readonly explain: boolean;
  /** Whose pages may read answers. */
  readonly origins: AllowedOrigins;
  /** Counts what happens, where somebody wants to know. */
  readonly meter: Meter | undefined;
}

/** Frees, once a window, what de-duplication no longer needs: a publisher may never send again. Never, if it is endless. */
export function createDedupCleanup({ accounts, assumptions }: World): (nowMs: number) => void {
  const windowMs = dedupWindowOf(assumptions);
  let dueMs = Number.NEGATIVE_INFINITY;
  return (nowMs) => {
    if (nowMs < dueMs) return;
    dueMs = nowMs + windowMs;
    for (const account of accounts.openedAccounts()) account.book.forget(nowMs, windowMs);
  };
}
