/**
 * Moves the accounts of a world into the same world under other assumptions. Books don't change: recorded events stay, and
 * the new assumptions only change how they are read and answered.
 */

import { InputError } from "../../base/input.ts";
import type { AssumptionKey } from "../../spec/assumptions/catalogue.ts";
import { type Account, createAccount } from "./account.ts";
import { type AccountWorld, accountsByOrdinal } from "./accounts.ts";
import type { BucketKeeper, Buckets } from "./buckets.ts";

export interface TransferWorld extends AccountWorld {
  readonly buckets: BucketKeeper;
}

/** The count of one limit algorithm means nothing to another. */
const keysResettingQuota: readonly AssumptionKey[] = ["limit.algorithm"];
/** Fingerprints over other fields never match, and a shorter window may already have dropped some. */
const keysResettingDedup: readonly AssumptionKey[] = ["dedup.key", "dedup.window"];

/** Assumptions that recorded events depend on. */
const fixed: readonly {
  readonly key: AssumptionKey;
  isFixedBy(account: Account): boolean;
  readonly why: string;
}[] = [
  {
    key: "date.timezone",
    isFixedBy: ({ book, person }) => book.lastDay !== undefined || person !== undefined,
    why: "it decides the days of events and sign-ups, and this world already has some",
  },
];

/**
 * Fills `to`, which has no accounts yet. `from` must not be used afterwards: the books are shared.
 *
 * @throws InputError for a change that recorded events don't allow. Nothing is moved then.
 */
export function transferAccounts(from: TransferWorld, to: TransferWorld): void {
  const changed = (key: AssumptionKey): boolean => from.assumptions[key] !== to.assumptions[key];
  const accounts = accountsByOrdinal(from.accounts);
  for (const { key, isFixedBy, why } of fixed) {
    if (!changed(key) || !accounts.some(isFixedBy)) continue;
    throw new InputError(
      `assumptions.${key}`,
      `can't change any more: ${why}. Reset the world first, or create it with this choice`,
      "conflict",
    );
  }
  const keepsQuota = !keysResettingQuota.some(changed);
  for (const account of accounts) {
    if (keysResettingDedup.some(changed)) account.book.forgetDuplicates();
    to.accounts.put(moved(account, keepsQuota, to));
  }
}

function moved(account: Account, keepsQuota: boolean, to: TransferWorld): Account {
  const { ordinal } = account;
  // Undefined for a sign-up.
  const fresh = to.accounts.peek(ordinal);
  // The population decides a seeded publisher's history, which begins on the day it joined.
  const joined = fresh?.joined ?? account.joined;
  const surfaces = account.surfaces.map((surface, index) => {
    // Unless a user chose the status, it is the one that the seed gives under the new assumptions.
    const seeded = surface.statusBy === "user" ? undefined : fresh?.surfaces[index];
    const status = seeded?.status ?? surface.status;
    return { ...surface, id: to.ids.surface.encode(ordinal, index), status };
  });
  const buckets = bucketsOf(account, keepsQuota, to.buckets);
  return createAccount({ ...account, joined, surfaces, buckets }, to);
}

function bucketsOf(account: Account, keepsQuota: boolean, keeper: BucketKeeper): Buckets {
  const fresh = keeper.fresh();
  if (!keepsQuota) return fresh;
  const { recordingBucket, clickBucket, reportingBucket } = account;
  // Clicks may not have had a bucket of their own, or may no longer need one.
  const own = fresh.clickBucket && (clickBucket ?? fresh.clickBucket);
  return { recordingBucket, clickBucket: own, reportingBucket };
}
