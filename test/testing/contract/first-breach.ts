/** What the contract finds first, without shrinking it. */

import { rules } from "../../../src/testing/contract/rules.ts";
import {
  breachIn,
  type SessionsOptions,
  sessionsOf,
  unmetNeeds,
} from "../../../src/testing/contract/sessions.ts";
import type { Trial } from "../../../src/testing/contract/workload.ts";
import type { CreateDriver } from "../../../src/testing/driver/driver.ts";
import { toldOf } from "../../../src/testing/session/told.ts";

export interface FirstBreach {
  readonly rule: string;
  readonly why: string;
  /** The number of the session, from 0. */
  readonly run: number;
  readonly trial: Trial;
}

export async function firstBreach(
  driver: CreateDriver,
  options: SessionsOptions,
): Promise<FirstBreach | undefined> {
  const sessions = sessionsOf(rules, driver, options);
  for (const [run, trial] of sessions.draw().entries()) {
    const told = toldOf((await sessions.run(trial)).session);
    for (const rule of rules) {
      const breach =
        unmetNeeds(rule, told) === undefined ? breachIn(told, rule, () => undefined) : undefined;
      if (breach !== undefined) return { rule: rule.id, why: breach.why, run, trial };
    }
  }
  return undefined;
}
