/** Random orders of arrivals and answers, for `openTestWorld`. Unlike fast-check's own scheduler they shrink: to the order of sending. */

import fc from "fast-check";
import * as v from "valibot";
import { parseInput } from "../../base/input.ts";
import { lengthFrom } from "../arbitrary-options.ts";
import type { Scheduler } from "../driver/scheduled-fetch.ts";

export interface ArbitrarySchedulerOptions {
  /** How many times the order is drawn; from then on who came first goes first. @default 60 */
  readonly mostChoices?: number | undefined;
}

const schema = v.strictObject({ mostChoices: v.optional(lengthFrom(0), 60) });

/** More are seldom on their way at once; a choice among more wraps around. */
const MAX_WAITING = 12;

/**
 * Of what is on its way at once, which comes next. A failure shrinks to the order in which everything was sent, save for
 * what has to overtake. A counterexample shows who overtook whom.
 *
 * @throws InputError that names the option at fault.
 */
export function arbitraryScheduler(
  options: ArbitrarySchedulerOptions = {},
): fc.Arbitrary<Scheduler> {
  const { mostChoices } = parseInput(schema, options, "options");
  return fc
    .array(fc.nat(MAX_WAITING - 1), { maxLength: mostChoices, size: "max" })
    .map(createScheduler);
}

interface Waiting {
  readonly label: string;
  /** Settles when what was waited for has. */
  letThrough(): Promise<unknown>;
}

function createScheduler(choices: readonly number[]): Scheduler {
  const waiting: Waiting[] = [];
  const overtakings: string[] = [];
  let drawn = 0;

  const scheduler: Scheduler = {
    count: () => waiting.length,
    schedule: (task, label = "") =>
      new Promise((resolve) => {
        const letThrough = (): Promise<unknown> => {
          resolve(task);
          return task.catch(() => undefined);
        };
        waiting.push({ label, letThrough });
      }),
    async waitOne() {
      // Where there is no choice none is drawn: fewer are left to shrink.
      const place = waiting.length < 2 ? 0 : (choices[drawn] ?? 0) % waiting.length;
      if (waiting.length > 1) drawn += 1;
      const [next] = waiting.splice(place, 1);
      if (next === undefined) throw new Error("Nothing is on its way.");
      const passed = waiting.slice(0, place).map(({ label }) => label);
      if (passed.length > 0) overtakings.push(`${next.label} before ${passed.join(", ")}`);
      await next.letThrough();
    },
  };
  // Every run has one of its own, at its beginning.
  return Object.defineProperties(scheduler, {
    [fc.cloneMethod]: { value: () => createScheduler(choices) },
    [fc.toStringMethod]: {
      value: () => `scheduler(${overtakings.join("; ") || "in the order of sending"})`,
    },
  });
}
