/** What a client promises about itself. The rules of the contract hold it to that, and excuse nothing beyond it. */

import * as v from "valibot";
import { inField, parseInput } from "../../base/input.ts";
import { wholeFrom } from "../../base/schemas.ts";

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

const entries = {
  staleMs: v.optional(wholeFrom(0)),
  inOrder: v.optional(v.boolean("must be true or false")),
  maxAtOnce: v.optional(wholeFrom(1)),
  maxAttempts: v.optional(wholeFrom(1)),
  maxAgeMs: v.optional(wholeFrom(0)),
  maxQueued: v.optional(wholeFrom(0)),
  withinMs: v.optional(wholeFrom(1)),
} satisfies Readonly<Record<keyof ClientPromises, v.GenericSchema>>;

export const promiseNames: readonly (keyof ClientPromises)[] = Object.keys(
  entries,
) as (keyof ClientPromises)[];

/** @throws InputError that names the invalid promise. */
export function promisesOf(driver: ClientPromises = {}): Promised {
  const given = Object.fromEntries(promiseNames.map((name) => [name, driver[name]]));
  const promised = inField("driver", () => parseInput(v.object(entries), given));
  return {
    staleMs: promised.staleMs ?? 60_000,
    inOrder: promised.inOrder ?? false,
    maxAtOnce: promised.maxAtOnce ?? Number.POSITIVE_INFINITY,
    maxAttempts: promised.maxAttempts ?? 3,
    maxAgeMs: promised.maxAgeMs ?? Number.POSITIVE_INFINITY,
    maxQueued: promised.maxQueued ?? Number.POSITIVE_INFINITY,
    withinMs: promised.withinMs ?? 600_000,
  };
}
