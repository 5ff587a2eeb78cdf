/**
 * Carries the accounts of a world over into the same world under other assumptions. Books move as they are: what was
 * recorded stays recorded, only how it is read and answered changes.
 */

import type { AssumptionKey, Assumptions } from "../assumptions/catalogue.ts";
import { InputError } from "../base/input.ts";
import type { Ids } from "../publishers/ids.ts";
import type { Population } from "../publishers/population.ts";
import type { SurfaceTerms } from "../publishers/seeded-publisher.ts";
import { type Account, createAccount } from "./account.ts";
import type { Accounts } from "./accounts.ts";
import type { BucketKeeper, Buckets } from "./buckets.ts";

/** A world as far as accounts depend on it. */
export interface Reading {
  readonly assumptions: Assumptions;
  readonly accounts: Accounts;
  readonly ids: Ids;
  readonly population: Population;
  readonly buckets: BucketKeeper;
}

/** A limit's count can't be carried from one algorithm to another. */
const renewsQuota: readonly AssumptionKey[] = ["limit.algorithm"];
/** Fingerprints of another key never match, and what a shorter window has dropped is gone. */
const renewsMemory: readonly AssumptionKey[] = ["dedup.key", "dedup.window"];

/**
 * Fills `to`, which has no accounts yet. `from` must not be used afterwards: the books are shared.
 *
 * @throws InputError for a change that what was recorded doesn't allow; then nothing was moved.
 */
export function takeOverAccounts(from: Reading, to: Reading): void {
  const changed = (key: AssumptionKey): boolean => from.assumptions[key] !== to.assumptions[key];
  const inOrder = Array.from(from.accounts.opened()).sort(
    (left, right) => left.ordinal - right.ordinal,
  );
  if (changed("date.timezone") && inOrder.some(({ book }) => book.lastDay !== undefined)) {
    throw new InputError(
      "assumptions.date.timezone",
      "can't change once something is recorded: events are filed by day. Reset the world first, or make it with this choice",
      "conflict",
    );
  }
  const keepsQuota = !renewsQuota.some(changed);
  for (const account of inOrder) {
    if (renewsMemory.some(changed)) account.book.forgetDuplicates();
    to.accounts.put(moved(account, keepsQuota, from, to));
  }
}

function moved(account: Account, keepsQuota: boolean, from: Reading, to: Reading): Account {
  const { ordinal } = account;
  const fresh = to.accounts.peek(ordinal);
  const before = seededSurfaces(from.population, ordinal);
  const after = seededSurfaces(to.population, ordinal);
  return createAccount({
    ordinal,
    id: to.ids.publisher.encode(ordinal, 0),
    apiKey: account.apiKey,
    keySerial: account.keySerial,
    // A seeded publisher's history, and with it the day it joined, is the population's.
    joined: fresh?.joined ?? account.joined,
    priceKey: account.priceKey,
    person: account.person,
    book: account.book,
    surfaces: account.surfaces.map((surface, index) => ({
      ...surface,
      id: to.ids.surface.encode(ordinal, index),
      // One that nobody changed has the status that the seed gives it now.
      status:
        surface.status === before[index]?.status
          ? (after[index]?.status ?? surface.status)
          : surface.status,
    })),
    buckets: bucketsOf(account, keepsQuota, to.buckets),
  });
}

function bucketsOf(account: Account, keepsQuota: boolean, keeper: BucketKeeper): Buckets {
  const fresh = keeper.fresh();
  if (!keepsQuota) return fresh;
  const { recordingBucket, clickBucket, reportingBucket } = account;
  // Clicks may have had no bucket of their own, or may need none any more.
  const own = fresh.clickBucket && (clickBucket ?? fresh.clickBucket);
  return { recordingBucket, clickBucket: own, reportingBucket };
}

/** None for a sign-up. */
function seededSurfaces(population: Population, ordinal: number): readonly SurfaceTerms[] {
  return ordinal < population.size ? population.publisherAt(ordinal).surfaces : [];
}
