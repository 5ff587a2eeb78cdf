/** The accounts of a world. Only accounts that were opened are in its state; all others are derived from the seed on demand. */

import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import { forgetSessions } from "../ledger/book.ts";
import { FIRST_SIGN_UP_ORDINAL } from "../publishers/population.ts";
import type { SignUp, SurfaceTerms } from "../publishers/seeded-publisher.ts";
import { type Account, type AccountSource, deriveAccount } from "./account.ts";
import {
  type AccountState,
  createAccountState,
  type SurfaceOverride,
  type WorldState,
} from "./state.ts";
import type { Tally } from "./tally.ts";

export interface Accounts {
  /** How many publishers there are, including sign-ups. */
  readonly total: number;
  /** The account of publisher `ordinal`. It is state from now on, so that it may be changed. Always the same object. */
  open(ordinal: number): Account | undefined;
  /** The account for reading only. If it was never opened, it is derived and not stored. */
  peek(ordinal: number): Account | undefined;
  /** The ordinal of the publisher at an index of the listing: seeded publishers first, then sign-ups. */
  ordinalAt(index: number): number | undefined;
  /** The ordinal of the publisher with this id. */
  ordinalOf(publisherId: string): number | undefined;
  /** Opens the account that this API key belongs to now. */
  openByKey(apiKey: string): Account | undefined;
  /** The same for reading only. */
  peekByKey(apiKey: string): Account | undefined;
  /** Gives an account its next key, with a reporting quota of its own. The old one is no longer valid. */
  rotateKey(account: Account): void;
  /** Changes the terms of a surface. @returns all of them. */
  setSurface(account: Account, surfaceIndex: number, change: SurfaceOverride): SurfaceTerms;
  add(signUp: SignUp): Account;
  /** The accounts that were opened. */
  openedAccounts(): Account[];
  /** Frees what the books of all of them remember about impressions outside the window. */
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
  const derived = new Map<number, Account>();
  const isSignUp = (ordinal: number): boolean => ordinal >= FIRST_SIGN_UP_ORDINAL;
  let signUps = Array.from(state.accounts.keys()).filter(isSignUp).length;

  function exists(ordinal: number): boolean {
    return isSignUp(ordinal)
      ? ordinal < FIRST_SIGN_UP_ORDINAL + signUps
      : ordinal < population.size;
  }
  function peek(ordinal: number): Account | undefined {
    const opened = state.accounts.get(ordinal);
    if (opened !== undefined) return accountOf(opened);
    return exists(ordinal)
      ? deriveAccount(createAccountState(ordinal, assumptions), source)
      : undefined;
  }
  function open(ordinal: number): Account | undefined {
    const opened = state.accounts.get(ordinal);
    if (opened !== undefined) return accountOf(opened);
    return exists(ordinal) ? store(createAccountState(ordinal, assumptions)) : undefined;
  }
  function store(account: AccountState): Account {
    state.accounts.set(account.ordinal, account);
    return accountOf(account);
  }
  /** Derived once, and again in the same object after a change. */
  function accountOf(opened: AccountState): Account {
    const known = derived.get(opened.ordinal);
    if (known !== undefined) return known;
    const made = deriveAccount(opened, source);
    derived.set(opened.ordinal, made);
    return made;
  }
  function change(account: Account, make: (opened: AccountState) => void): void {
    const opened = state.accounts.get(account.ordinal);
    if (opened === undefined) throw new Error("Only an opened account can be changed.");
    make(opened);
    Object.assign(account, deriveAccount(opened, source));
  }

  function byKey(
    apiKey: string,
    find: (ordinal: number) => Account | undefined,
  ): Account | undefined {
    const parts = ids.apiKey.decode(apiKey);
    const account = parts === undefined ? undefined : find(parts.publisher);
    return account?.apiKey === apiKey ? account : undefined;
  }

  return {
    get total(): number {
      return population.size + signUps;
    },
    open,
    peek,
    ordinalAt(index) {
      if (!Number.isSafeInteger(index) || index < 0 || index >= population.size + signUps) {
        return undefined;
      }
      return index < population.size ? index : FIRST_SIGN_UP_ORDINAL + index - population.size;
    },
    ordinalOf(publisherId) {
      const parts = ids.publisher.decode(publisherId);
      return parts?.serial === 0 && exists(parts.publisher) ? parts.publisher : undefined;
    },
    openByKey: (apiKey) => byKey(apiKey, open),
    peekByKey: (apiKey) => byKey(apiKey, peek),
    rotateKey(account) {
      change(account, (opened) => {
        opened.keySerial += 1;
        const { buckets } = createAccountState(opened.ordinal, assumptions);
        opened.buckets.reporting = buckets.reporting;
      });
    },
    setSurface(account, surfaceIndex, override) {
      change(account, ({ surfaces }) => {
        surfaces[surfaceIndex] = { ...surfaces[surfaceIndex], ...override };
      });
      const terms = account.surfaces[surfaceIndex];
      if (terms === undefined) throw new RangeError(`There is no surface at ${surfaceIndex}.`);
      return terms;
    },
    add(signUp) {
      const ordinal = FIRST_SIGN_UP_ORDINAL + signUps;
      signUps += 1;
      return store(createAccountState(ordinal, assumptions, signUp));
    },
    openedAccounts: () => Array.from(state.accounts.values(), accountOf),
    forgetSessions(nowMs, windowMs) {
      for (const { book } of state.accounts.values()) forgetSessions(book, nowMs, windowMs);
    },
    unauthenticated: state.withoutKey,
  };
}

/** The opened accounts, sorted by ordinal, so that the order of requests doesn't show. */
export function accountsByOrdinal(accounts: Accounts): Account[] {
  return accounts.openedAccounts().sort((left, right) => left.ordinal - right.ordinal);
}
