/** What a client promises about itself. The rules of the contract hold it to that, and excuse nothing beyond it. */

import * as v from "valibot";
import { inField, parseInput } from "../../base/input.ts";

/** Members of a driver that declare what its client does. */
export interface ClientPromises {
  /**
   * How old the figures of `stats` may be if the client returns them without asking the service, in milliseconds.
   *
   * @default 60000
   */
  readonly staleMs?: number | undefined;
  /** Whether events are recorded in the order in which the client was given them. @default false */
  readonly inOrder?: boolean | undefined;
  /**
   * The most requests that the client has under way at once. One is under way until it is answered or aborted.
   *
   * @default any number
   */
  readonly maxAtOnce?: number | undefined;
  /** After how many attempts the client may give up on an event. @default 3 */
  readonly maxAttempts?: number | undefined;
  /** How long the client keeps an event before it may give up on it, in milliseconds. @default for ever */
  readonly maxAgeMs?: number | undefined;
  /** How many events wait at most. The client may give up on those beyond that. @default any number */
  readonly maxQueued?: number | undefined;
  /**
   * How long a call takes at most, in milliseconds, besides the waits that the service demands by Retry-After.
   *
   * @default 600000
   */
  readonly withinMs?: number | undefined;
}

/** With the defaults filled in. Infinity: no limit. */
export type Promised = {
  readonly [Name in keyof ClientPromises]-?: NonNullable<ClientPromises[Name]>;
};

const noLimit = Number.POSITIVE_INFINITY;

function limitFrom(least: number): v.GenericSchema<number> {
  const isLimit = (value: unknown): boolean =>
    value === noLimit || (Number.isSafeInteger(value) && Number(value) >= least);
  return v.custom<number>(isLimit, `must be a whole number, ${least} or more`);
}

const entries = {
  staleMs: v.optional(limitFrom(0), 60_000),
  inOrder: v.optional(v.boolean("must be true or false"), false),
  maxAtOnce: v.optional(limitFrom(1), noLimit),
  maxAttempts: v.optional(limitFrom(1), 3),
  maxAgeMs: v.optional(limitFrom(0), noLimit),
  maxQueued: v.optional(limitFrom(0), noLimit),
  withinMs: v.optional(limitFrom(1), 600_000),
} satisfies Readonly<Record<keyof ClientPromises, v.GenericSchema>>;

export const promiseNames: readonly (keyof ClientPromises)[] = Object.keys(
  entries,
) as (keyof ClientPromises)[];

/** @throws InputError that names the invalid promise. */
export function promisesOf(driver: ClientPromises = {}): Promised {
  const given = Object.fromEntries(promiseNames.map((name) => [name, driver[name]]));
  return inField("driver", () => parseInput(v.object(entries), given));
}
