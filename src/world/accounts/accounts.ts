/** The accounts of a world. Only accounts that were opened are stored; all others are computed from the seed on demand. */

import type { Day } from "../../base/calendar.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import type { Person } from "../publishers/people.ts";
import { FIRST_SIGN_UP_ORDINAL } from "../publishers/population.ts";
import type { SurfaceTerms } from "../publishers/seeded-publisher.ts";
import { type Account, type AccountSource, createAccount } from "./account.ts";
import type { Buckets } from "./buckets.ts";
import { createTally, type Tally } from "./tally.ts";

/** A sign-up's own data. */
export interface SignUp {
  readonly person: Person;
  readonly joined: Day;
  readonly surfaces: readonly SurfaceTerms[];
}

export interface Accounts {
  /** How many publishers there are, including sign-ups. */
  readonly total: number;
  /** The account of publisher `ordinal`. It is stored from now on, so that it may be changed. */
  open(ordinal: number): Account | undefined;
  /** The account for reading only. If it was never opened, it is computed and not stored. */
  peek(ordinal: number): Account | undefined;
  /** The ordinal of the publisher at an index of the listing: seeded publishers first, then sign-ups. */
  ordinalAt(index: number): number | undefined;
  /** The ordinal of the publisher with this id. */
  ordinalOf(publisherId: string): number | undefined;
  /** Opens the account that this API key belongs to now. */
  openByKey(apiKey: string): Account | undefined;
  /** The same for reading only. */
  peekByKey(apiKey: string): Account | undefined;
  /** Gives an account its next key. The old one is no longer valid. */
  rotateKey(account: Account): void;
  add(signUp: SignUp): Account;
  /** Adds a saved account. Sign-ups must come in their order. @returns false for one that this world can't have. */
  put(account: Account): boolean;
  /** The accounts that were opened. */
  openedAccounts(): Iterable<Account>;
  /** Counts the requests without a valid key. */
  readonly unauthenticated: Tally;
}

export interface AccountWorld extends AccountSource {
  readonly assumptions: Assumptions;
  readonly accounts: Accounts;
}

export interface AccountsOptions extends AccountSource {
  readonly freshBuckets: () => Buckets;
  /** @default a new one */
  readonly unauthenticated?: Tally | undefined;
}

export function createAccounts(options: AccountsOptions): Accounts {
  const { ids, population, freshBuckets, unauthenticated = createTally() } = options;
  const stored = new Map<number, Account>();
  let signUps = 0;

  function exists(ordinal: number): boolean {
    return (
      ordinal < population.size ||
      (ordinal >= FIRST_SIGN_UP_ORDINAL && ordinal < FIRST_SIGN_UP_ORDINAL + signUps)
    );
  }
  function seeded(ordinal: number): Account {
    return createAccount({ ...population.publisherAt(ordinal), buckets: freshBuckets() }, options);
  }
  function peek(ordinal: number): Account | undefined {
    const known = stored.get(ordinal);
    if (known !== undefined) return known;
    // Sign-ups are always stored, so this is a seeded publisher.
    return exists(ordinal) ? seeded(ordinal) : undefined;
  }
  function open(ordinal: number): Account | undefined {
    const known = stored.get(ordinal);
    if (known !== undefined) return known;
    const made = peek(ordinal);
    if (made !== undefined) stored.set(ordinal, made);
    return made;
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
      account.keySerial += 1;
      account.apiKey = ids.apiKey.encode(account.ordinal, account.keySerial);
      account.reportingBucket = freshBuckets().reportingBucket;
    },
    add(signUp) {
      const ordinal = FIRST_SIGN_UP_ORDINAL + signUps;
      const account = createAccount({ ...signUp, ordinal, buckets: freshBuckets() }, options);
      signUps += 1;
      stored.set(ordinal, account);
      return account;
    },
    put(account) {
      const { ordinal } = account;
      const isNext = ordinal === FIRST_SIGN_UP_ORDINAL + signUps;
      if (stored.has(ordinal) || !(ordinal < population.size || isNext)) return false;
      if (isNext) signUps += 1;
      stored.set(ordinal, account);
      return true;
    },
    openedAccounts: () => stored.values(),
    unauthenticated,
  };
}

/** The opened accounts, sorted by ordinal, so that the order of requests doesn't show in saved state. */
export function accountsByOrdinal(accounts: Accounts): Account[] {
  return Array.from(accounts.openedAccounts()).sort((left, right) => left.ordinal - right.ordinal);
}
