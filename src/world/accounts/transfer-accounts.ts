/**
 * Carries the accounts of a world over into the same world under other assumptions. Books move as they are: what was
 * recorded stays recorded, only how it is read and answered changes.
 */

import { InputError } from "../../base/input.ts";
import type { AssumptionKey } from "../../spec/assumptions/catalogue.ts";
import { type Account, createAccount } from "./account.ts";
import { type AccountWorld, accountsByOrdinal } from "./accounts.ts";
import type { BucketKeeper, Buckets } from "./buckets.ts";

export interface TransferWorld extends AccountWorld {
  readonly buckets: BucketKeeper;
}

/** A limit's count can't be carried from one algorithm to another. */
const keysResettingQuota: readonly AssumptionKey[] = ["limit.algorithm"];
/** Fingerprints of another key never match, and what a shorter window has dropped is gone. */
const keysResettingDedup: readonly AssumptionKey[] = ["dedup.key", "dedup.window"];

/** Readings that what happened was written down under. */
const fixed: readonly {
  readonly key: AssumptionKey;
  isFixedBy(account: Account): boolean;
  readonly why: string;
}[] = [
  {
    key: "date.timezone",
    isFixedBy: ({ book, person }) => book.lastDay !== undefined || person !== undefined,
    why: "events are filed by day, and so are sign-ups, and there are some",
  },
  {
    key: "click.revenue",
    isFixedBy: ({ book }) => book.clicks > 0,
    why: "clicks are recorded, and what they earned follows from it",
  },
];

/**
 * Fills `to`, which has no accounts yet. `from` must not be used afterwards: the books are shared.
 *
 * @throws InputError for a change that what was recorded doesn't allow; then nothing was moved.
 */
export function transferAccounts(from: TransferWorld, to: TransferWorld): void {
  const changed = (key: AssumptionKey): boolean => from.assumptions[key] !== to.assumptions[key];
  const accounts = accountsByOrdinal(from.accounts);
  for (const { key, isFixedBy, why } of fixed) {
    if (!changed(key) || !accounts.some(isFixedBy)) continue;
    throw new InputError(
      `assumptions.${key}`,
      `can't change any more: ${why}. Reset the world first, or make it with this choice`,
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
  // None for a sign-up.
  const fresh = to.accounts.peek(ordinal);
  // A seeded publisher's history, and with it the day it joined, is the population's.
  const joined = fresh?.joined ?? account.joined;
  const surfaces = account.surfaces.map((surface, index) => {
    // One that nobody changed has the status that the seed gives it now.
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
  // Clicks may have had no bucket of their own, or may need none any more.
  const own = fresh.clickBucket && (clickBucket ?? fresh.clickBucket);
  return { recordingBucket, clickBucket: own, reportingBucket };
}
