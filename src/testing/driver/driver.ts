/**
 * The driver that an integrator writes to have a client tested: how to create the client, how to make it call the API, and what
 * it promises about itself. The kit knows nothing else about the client. The rules hold it to its promises, and excuse nothing
 * beyond them.
 */

import * as v from "valibot";
import { didYouMean } from "../../base/did-you-mean.ts";
import { InputError, inField, parseInput } from "../../base/input.ts";
import type { Timers } from "../time/time.ts";

/** One view of an ad. */
export interface Shown {
  /** The surface's id. */
  readonly surface: string;
  /** The spec's `ad_id`. Several views may show the same ad, on one surface or on several. */
  readonly ad: string;
  /**
   * A session id for this view alone; the view keeps it if it is reported again. A client that makes its own session ids
   * ignores it. Then two views of an ad on a surface look to it like one that is reported twice, and the contract accepts
   * them as one or as two.
   */
  readonly session: string;
}

/** A period of valid days, `YYYY-MM-DD`, both included. */
export interface Period {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** How many events the client was given and can't confirm as recorded. */
export interface Undelivered {
  readonly impressions: number;
  readonly clicks: number;
}

/**
 * A client under test. Leave out a method if the client can't do it: rules that need it are skipped.
 *
 * A method resolves if the client says that the call succeeded, and rejects if the client says that it failed or may
 * have failed. If the error has a numeric `status`, the contract compares it with the status of the answer.
 *
 * @typeParam Impression What the client returns for an impression; `click` gets it back.
 */
export interface Driver<Impression = unknown> extends ClientPromises {
  /**
   * Makes the client report a view. If the client queues, it resolves once the view is queued.
   *
   * If the result has the spec's `impression_id` or `revenue_credited_inr`, the contract compares it with the record.
   */
  impression(shown: Shown): Promise<Impression> | Impression;
  /** Makes the client report a click. Resolves as {@link Driver.impression} does. */
  click?(impression: Impression): Promise<unknown> | unknown;
  /** Resolves with the spec's statistics object (spec §2). */
  stats?(query: Period & { readonly surface?: string | undefined }): Promise<unknown> | unknown;
  /** Resolves with the spec's answer, `{ surfaces }`. */
  surfaces?(): Promise<unknown> | unknown;
  /** Resolves with the spec's answer, `{ payouts, pending_inr }`. */
  payouts?(query: { readonly limit?: number | undefined }): Promise<unknown> | unknown;
  /** Only for a client that queues: sends the queue. Resolves with what it couldn't deliver, if it counts that. */
  flush?(): Promise<Undelivered | undefined> | Promise<void> | void;
  /** Closes the client. Resolves with all that it couldn't deliver since it was made, if it counts that. */
  close?(): Promise<Undelivered | undefined> | Promise<void> | void;
}

export const driverMethods: readonly string[] = [
  ...["impression", "click", "stats", "surfaces", "payouts", "flush", "close"],
];

/** The names of the driver's methods, and of what it promises. */
export function membersOf(driver: object = {}): readonly string[] {
  // 0 is a promise, too.
  const has = (name: string): boolean => (Reflect.get(driver, name) ?? false) !== false;
  return [...driverMethods, ...promiseNames].filter(has);
}

/**
 * The driver, if it can be one. It may have members of its own, but none with almost the name of a method or promise that
 * it lacks.
 *
 * @throws InputError
 */
export function checkedDriver<Impression>(made: Driver<Impression>): Driver<Impression> {
  if (typeof Object(made).impression !== "function")
    throw new InputError("driver", "must return a driver: an object with at least impression()");
  const known: readonly string[] = [...driverMethods, ...promiseNames];
  for (const name of namesIn(made)) {
    if (known.includes(name)) continue;
    const member: unknown = Reflect.get(made, name);
    const missing = typeof member === "function" ? driverMethods : promiseNames;
    const hint = didYouMean(
      name,
      missing.filter((one) => !(one in made)),
    );
    if (hint !== "") throw new InputError(`driver.${name}`, `is not known here.${hint}`);
  }
  return made;
}

/** The names of its members, with those of its classes. */
function namesIn(value: object): string[] {
  const parent: object | null = Object.getPrototypeOf(value);
  const isPlain = parent === null || parent === Object.prototype;
  return [...Object.getOwnPropertyNames(value), ...(isPlain ? [] : namesIn(parent))];
}

/** What a driver gets to create a client. */
export interface DriverContext {
  /** Without a trailing slash. Paths start with /v1. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly publisherId: string;
  /** The publisher's active surfaces: at least one. */
  readonly surfaces: readonly { readonly id: string; readonly name: string }[];
  /** Sends to the simulated service. */
  readonly fetch: typeof globalThis.fetch;
  /** The world's time. A client that uses the machine's timers hangs, unless the globals are replaced. */
  readonly timers: Timers;
  /** At least 0 and less than 1, drawn from the seed. */
  readonly random: () => number;
}

/** Creates a client. Called once for each run: runs must share no state. */
export type CreateDriver<Impression = unknown> = (
  context: DriverContext,
) => Promise<Driver<Impression>> | Driver<Impression>;

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
