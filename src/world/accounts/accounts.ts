/** The accounts of a world. Only accounts that were opened are in its state; all others are derived from the seed on demand. */

import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import { forgetSessions } from "../ledger/book.ts";
import { algorithmOf } from "../limits/algorithms.ts";
import { FIRST_SIGN_UP_ORDINAL } from "../publishers/population.ts";
import type { SignUp } from "../publishers/seeded-publisher.ts";
import { type Account, type AccountSource, deriveAccount } from "./account.ts";
import {
  type AccountState,
  createAccountState,
  type SurfaceOverride,
  type Tally,
  type WorldState,
} from "./state.ts";

export interface Accounts {
  /** How many publishers there are, including sign-ups. */
  readonly total: number;
  /** The account of publisher `ordinal`, always the same object. It is state from now on, so that it may be changed. */
  open(ordinal: number): Account | undefined;
  /** The account for reading only. If it was never opened, it is derived and not stored. */
  peek(ordinal: number): Account | undefined;
  /** The same, by its index in the listing: seeded publishers first, then sign-ups. */
  peekAt(index: number): Account | undefined;
  /** The same, by the API key that it has now. */
  peekByKey(apiKey: string): Account | undefined;
  /** The ordinal of the publisher with this id. */
  ordinalOf(publisherId: string): number | undefined;
  /** Gives an opened account its next key, with a reporting quota of its own. The old one is no longer valid. */
  rotateKey(account: Account): void;
  /** Changes the terms of an opened account's surface. */
  setSurface(account: Account, surfaceId: string, change: SurfaceOverride): void;
  add(signUp: SignUp): Account;
  /** Those that were opened, by ordinal, so that the order of requests doesn't show. */
  openedAccounts(): Account[];
  /** Frees what the ledgers of all of them remember about impressions outside the window. */
  forgetSessions(nowMs: number, windowMs: number): void;
  /** Counts the requests without a valid key. */
  readonly unauthenticated: Tally;
}

export interface AccountWorld extends AccountSource {
  readonly assumptions: Assumptions;
  readonly accounts: Accounts;
}

export function createAccounts(state: WorldState, source: AccountSource): Accounts {
  const { ids, population } = source;
  const { assumptions } = state.settings;
  const { size } = population;
  /** Of the accounts that were opened. */
  const derived = new Map<number, Account>();
  let signUps = [...state.accounts.keys()].filter((one) => one >= FIRST_SIGN_UP_ORDINAL).length;

  function exists(ordinal: number): boolean {
    if (!Number.isSafeInteger(ordinal) || ordinal < 0) return false;
    const place = ordinal - FIRST_SIGN_UP_ORDINAL;
    return place < 0 ? ordinal < size : place < signUps;
  }
  function viewOf(stored: AccountState): Account {
    const known = derived.get(stored.ordinal);
    if (known !== undefined) return known;
    const account = deriveAccount(stored, source);
    derived.set(stored.ordinal, account);
    return account;
  }
  function store(account: AccountState): Account {
    state.accounts.set(account.ordinal, account);
    return viewOf(account);
  }
  function find(ordinal: number, begin: (fresh: AccountState) => Account): Account | undefined {
    const stored = state.accounts.get(ordinal);
    if (stored !== undefined) return viewOf(stored);
    return exists(ordinal) ? begin(createAccountState(ordinal, assumptions)) : undefined;
  }
  const peek = (ordinal: number): Account | undefined =>
    find(ordinal, (fresh) => deriveAccount(fresh, source));
  /** The account stays the same object. */
  function change(account: Account, make: (stored: AccountState) => void): void {
    const stored = state.accounts.get(account.ordinal);
    if (stored === undefined) throw new Error("Only an opened account can be changed.");
    make(stored);
    Object.assign(account, deriveAccount(stored, source));
  }

  return {
    get total(): number {
      return size + signUps;
    },
    open: (ordinal) => find(ordinal, store),
    peek,
    peekAt: (index) => peek(index < size ? index : FIRST_SIGN_UP_ORDINAL + index - size),
    peekByKey(apiKey) {
      const parts = ids.apiKey.decode(apiKey);
      const account = parts && peek(parts.publisher);
      return account?.apiKey === apiKey ? account : undefined;
    },
    ordinalOf(publisherId) {
      const parts = ids.publisher.decode(publisherId);
      return parts?.serial === 0 && exists(parts.publisher) ? parts.publisher : undefined;
    },
    rotateKey(account) {
      change(account, (stored) => {
        stored.keySerial += 1;
        stored.buckets.reporting = algorithmOf(assumptions).fresh();
      });
    },
    setSurface(account, surfaceId, override) {
      const index = account.surfaces.findIndex(({ id }) => id === surfaceId);
      change(account, ({ surfaces }) => {
        surfaces[index] = { ...surfaces[index], ...override };
      });
    },
    add(signUp) {
      const ordinal = FIRST_SIGN_UP_ORDINAL + signUps;
      signUps += 1;
      return store(createAccountState(ordinal, assumptions, signUp));
    },
    openedAccounts() {
      const all = [...state.accounts.values()].sort((one, other) => one.ordinal - other.ordinal);
      return all.map(viewOf);
    },
    forgetSessions(nowMs, windowMs) {
      for (const { book } of state.accounts.values()) forgetSessions(book, nowMs, windowMs);
    },
    unauthenticated: state.withoutKey,
  };
}
