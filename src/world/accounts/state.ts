/**
 * The state of a world as plain data: its settings, and of its publishers only what differs from the seed. Ids, keys, names,
 * prices and past figures are derived from it. A fork and a restore are another state. The counts of outcomes are for the audit.
 */

import type { ClockMode } from "../../base/clock.ts";
import { InputError } from "../../base/input.ts";
import { copyOfJson } from "../../base/plain-data.ts";
import { copyOfFaults, type FaultsState, type FunctionStandIn } from "../../faults/rules.ts";
import type { AssumptionKey, Assumptions } from "../../spec/assumptions/catalogue.ts";
import { type BookState, copyOfBook, createBook, lastDayOf } from "../ledger/book.ts";
import { algorithmOf, type Bucket } from "../limits/algorithms.ts";
import type { SignUp, SurfaceTerms } from "../publishers/seeded-publisher.ts";
import type { WorldSettings } from "../publishers/world-settings.ts";

export interface WorldState {
  settings: WorldSettings;
  /** When the state was taken. A running world has a clock of its own. */
  readonly clock: { readonly mode: ClockMode; readonly nowMs: number };
  /** By ordinal: those that sent a request, signed up, or were changed. */
  readonly accounts: Map<number, AccountState>;
  readonly faults: FaultsState;
  /** Counts the requests without a valid key. */
  readonly withoutKey: Tally;
}

/** The requests that are counted together. `clicks` is used if clicks don't share the quota of impressions. */
export type Pool = "recording" | "clicks" | "reporting";

/** What was changed by hand. */
export type SurfaceOverride = Partial<Pick<SurfaceTerms, "status" | "cpmPaise">>;

export interface AccountState {
  readonly ordinal: number;
  /** How often the key was rotated. */
  keySerial: number;
  /** Undefined for a seeded publisher. */
  readonly signUp?: SignUp | undefined;
  /** By the index of the surface. */
  readonly surfaces: Record<number, SurfaceOverride>;
  readonly buckets: Record<Pool, Bucket>;
  readonly tally: Tally;
  readonly book: BookState;
}

/** A world in which nothing has happened yet. */
export function createState(settings: WorldSettings, clock: WorldState["clock"]): WorldState {
  const faults: FaultsState = { added: 0, rules: [] };
  return { settings, clock, accounts: new Map(), faults, withoutKey: createTally() };
}

/** An account to which nothing has happened yet. */
export function createAccountState(
  ordinal: number,
  assumptions: Assumptions,
  signUp?: SignUp,
): AccountState {
  const { fresh } = algorithmOf(assumptions);
  return {
    ordinal,
    keySerial: 0,
    ...(signUp === undefined ? {} : { signUp }),
    surfaces: {},
    buckets: { recording: fresh(), clicks: fresh(), reporting: fresh() },
    tally: createTally(),
    book: createBook(),
  };
}

/** A copy that shares nothing that can change. `standIn`: for rules that are functions. */
export function copyOfState(state: WorldState, standIn?: FunctionStandIn): WorldState {
  const accounts = Array.from(state.accounts.values(), copyOfAccount);
  return {
    settings: state.settings,
    clock: state.clock,
    accounts: new Map(accounts.map((account) => [account.ordinal, account])),
    faults: copyOfFaults(state.faults, standIn),
    withoutKey: copyOfJson(state.withoutKey),
  };
}

function copyOfAccount({ book, ...account }: AccountState): AccountState {
  return { ...copyOfJson(account), book: copyOfBook(book) };
}

/**
 * Changes the choices in force. Recorded events stay: the new choices only change how they are read and answered.
 *
 * @throws InputError for a change that recorded events don't allow. Nothing changes then.
 */
export function changeAssumptions(state: WorldState, assumptions: Assumptions): void {
  const before = state.settings.assumptions;
  const changed = (...keys: readonly AssumptionKey[]): boolean =>
    keys.some((key) => before[key] !== assumptions[key]);
  const accounts = [...state.accounts.values()];
  const hasDays = accounts.some(({ signUp, book }) => signUp || lastDayOf(book) !== undefined);
  if (changed("date.timezone") && hasDays) {
    throw new InputError(
      "assumptions.date.timezone",
      "can't change any more: it decides the days of events and sign-ups, and this world already has some. Reset the world first, or create it with this choice",
      "conflict",
    );
  }
  state.settings = { ...state.settings, assumptions };
  for (const { ordinal, buckets, book } of accounts) {
    const { buckets: fresh } = createAccountState(ordinal, assumptions);
    // The count of one algorithm means nothing to another.
    if (changed("limit.algorithm")) Object.assign(buckets, fresh);
    if (changed("limit.recording-pool")) buckets.clicks = fresh.clicks;
    // Other keys never match, and a shorter window may already have dropped some.
    if (changed("dedup.key", "dedup.window")) book.sessions.clear();
  }
}

/** The requests of one operation: numbers of requests, and sums of the credits in their answers in micro-INR. */
export interface EventTally {
  /** The service recorded an event. */
  applied: number;
  /** The service recognised a duplicate, whether it refused it or not. */
  suppressed: number;
  /** The service refused the request for another reason. */
  refused: number;
  /** A rule made the service carry out the request again. Each copy is counted above as well. */
  copies: number;
  /** A rule answered instead of the service, which did nothing. */
  injected: number;
  /** A rule kept the request from the service, and the client got no answer. */
  dropped: number;
  /** The service acted, but the client didn't get its whole answer. */
  lost: number;
  /** Recorded events whose answer no client got, including copies. */
  unseen: number;
  /** Credits of recorded events whose answer a client got. */
  seenMicros: number;
  /** Credits of the unseen events. */
  unseenMicros: number;
}

export interface Tally {
  readonly impression: EventTally;
  readonly click: EventTally;
}

function createTally(): Tally {
  return { impression: createEventTally(), click: createEventTally() };
}

export function createEventTally(): EventTally {
  return {
    applied: 0,
    suppressed: 0,
    refused: 0,
    copies: 0,
    injected: 0,
    dropped: 0,
    lost: 0,
    unseen: 0,
    seenMicros: 0,
    unseenMicros: 0,
  };
}
