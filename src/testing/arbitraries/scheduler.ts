/** Random orders of arrivals and answers. Unlike those of fast-check's scheduler, they shrink to the order of sending. */

import fc from "fast-check";
import * as v from "valibot";
import { parseInput } from "../../base/input.ts";
import { lengthFrom } from "../arbitrary-options.ts";
import type { Scheduler } from "../driver/scheduled-fetch.ts";

export interface ArbitrarySchedulerOptions {
  /** The number of random choices; after that, tasks are released in the order of sending. @default 60 */
  readonly mostChoices?: number | undefined;
}

const schema = v.strictObject({ mostChoices: v.optional(lengthFrom(0), 60) });

/** Rarely are more tasks pending at once. A choice among more wraps around. */
const MAX_WAITING = 12;

/**
 * Chooses which pending task comes next. A failure shrinks to the order of sending, except for the overtakings that it
 * needs. A counterexample lists the overtakings.
 *
 * @throws InputError that names the invalid option.
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
  /** Resolves once the task has settled. */
  release(): Promise<unknown>;
}

function createScheduler(choices: readonly number[]): Scheduler {
  const waiting: Waiting[] = [];
  const overtakings: string[] = [];
  let drawn = 0;

  const scheduler: Scheduler = {
    count: () => waiting.length,
    schedule: (task, label = "") =>
      new Promise((resolve) => {
        const release = (): Promise<unknown> => {
          resolve(task);
          return task.catch(() => undefined);
        };
        waiting.push({ label, release });
      }),
    async waitOne() {
      // A single task uses up no choice, so fewer choices are left to shrink.
      const place = waiting.length < 2 ? 0 : (choices[drawn] ?? 0) % waiting.length;
      if (waiting.length > 1) drawn += 1;
      const [next] = waiting.splice(place, 1);
      if (next === undefined) throw new Error("No task is pending.");
      const passed = waiting.slice(0, place).map(({ label }) => label);
      if (passed.length > 0) overtakings.push(`${next.label} before ${passed.join(", ")}`);
      await next.release();
    },
  };
  // fast-check clones it, so that every run starts with a fresh one.
  return Object.defineProperties(scheduler, {
    [fc.cloneMethod]: { value: () => createScheduler(choices) },
    [fc.toStringMethod]: {
      value: () => `scheduler(${overtakings.join("; ") || "in the order of sending"})`,
    },
  });
}
