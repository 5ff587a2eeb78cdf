/** Correct clients: no rule may be broken by any of them, whatever is assumed. */

import { coveringArray } from "../../../src/index.ts";
import { rules } from "../../../src/testing/contract/rules.ts";
import {
  breachIn,
  type SessionsOptions,
  sessionsOf,
  unmetNeeds,
} from "../../../src/testing/contract/sessions.ts";
import type { CreateDriver } from "../../../src/testing/driver/driver.ts";
import { toldOf } from "../../../src/testing/session/told.ts";
import { createReferenceDriver } from "../../client/reference-driver.ts";
import { createCallingDriver } from "../defects/calling-client.ts";
import { createDirectDriver } from "../defects/direct-client.ts";
import { createQueueingDriver } from "../defects/queueing-client.ts";
import { createPatientDriver, onceOnly } from "./patient-client.ts";

export const correctClients: Readonly<Record<string, CreateDriver>> = {
  /** Tries once, and reports how it went. */
  plain: onceOnly,
  /** Repeats with growing pauses, while the caller waits. */
  patient: createPatientDriver,
  /** Delivers in the background. */
  queueing: createQueueingDriver,
  /** Sends a few requests at once, and only a probe during an outage. */
  calling: createCallingDriver,
  /** Flushes and closes when the calls under way have ended. */
  direct: createDirectDriver,
  reference: createReferenceDriver,
  /** Delivers in the background, and can only be flushed. */
  unclosed: async (context) => {
    const { close: _, ...driver } = await createQueueingDriver(context);
    return driver;
  },
};

/** All pairs of choices. */
const rows = coveringArray({ strength: 2 });

export interface Trial {
  readonly client: string;
  /** Undefined: the sessions draw their own choices. */
  readonly row: number | undefined;
  readonly seed: number;
  readonly runs: number;
}

/** Trials of each client under its own choices and under every row, with seeds from this one on. */
export function trialsOf(clients: readonly string[], runs: number, seed: number): readonly Trial[] {
  const places = [undefined, ...rows.keys()];
  return clients.flatMap((client) =>
    places.map((row, at) => ({
      client,
      row,
      seed: seed + at,
      runs: Math.ceil(runs / places.length),
    })),
  );
}

/** A rule that is broken, with all that leads there again; undefined if none is. */
export async function alarmOf({ client, row, seed, runs }: Trial): Promise<string | undefined> {
  const driver = correctClients[client];
  if (driver === undefined) throw new Error(`There is no client ${client}.`);
  const options = { globals: "replaced", runs, sequenceSeed: seed } as const;
  const assumptions = row === undefined ? {} : rows[row];
  const breach = await firstBreach(driver, { ...options, assumptions });
  if (breach === undefined) return undefined;
  const { rule, why, run, trial } = breach;
  return `${client}, row ${row}, seed ${seed}, session ${run}: ${rule}: ${why}\n${JSON.stringify(trial)}`;
}

/** What the contract finds first, without shrinking it. `run`: the number of the session, from 0. */
export async function firstBreach(driver: CreateDriver, options: SessionsOptions) {
  const sessions = sessionsOf(rules, driver, options);
  for (const [run, trial] of sessions.draw().entries()) {
    const told = toldOf((await sessions.run(trial)).session);
    for (const rule of rules.filter((one) => unmetNeeds(one, told) === undefined)) {
      const breach = breachIn(told, rule, () => undefined);
      if (breach !== undefined) return { rule: rule.id, why: breach.why, run, trial };
    }
  }
  return undefined;
}
