/** Finds things in a world that a client may have meant. Opens no account, and examines a bounded number of them. */

import type { World } from "../../exchange/world.ts";
import type { Account } from "../../world/accounts/account.ts";

/** The most accounts, and the most impressions of one account, to compare with what was sent. */
const MAX_COMPARED = 500;

type PublisherKeys = Pick<Account, "ordinal" | "id" | "apiKey">;

export interface Lookup {
  readonly world: World;
  account(ordinal: number): Account | undefined;
  /** Stands in for an unknown publisher. */
  first(): Account;
  /** The account whose key this is now. */
  byKey(apiKey: string): Account | undefined;
  byId(publisherId: string): Account | undefined;
  /** Publishers to compare with: those with open accounts, then the first ones. */
  readonly publishers: readonly PublisherKeys[];
  /** The latest impressions of an account, to compare ids with. */
  impressionIds(account: Account): readonly string[];
}

export function createLookup(world: World): Lookup {
  const { accounts, ids } = world;
  const peeked = new Map<number, Account | undefined>();
  const impressions = new Map<number, readonly string[]>();
  let publishers: readonly PublisherKeys[] | undefined;

  function account(ordinal: number): Account | undefined {
    if (!peeked.has(ordinal)) peeked.set(ordinal, accounts.peek(ordinal));
    return peeked.get(ordinal);
  }

  return {
    world,
    account,
    first() {
      const found = account(0);
      if (found === undefined)
        throw new Error("A world without publishers. This is a bug in adsim.");
      return found;
    },
    byKey(apiKey) {
      const parts = ids.apiKey.decode(apiKey);
      const found = parts && account(parts.publisher);
      return found?.apiKey === apiKey ? found : undefined;
    },
    byId(publisherId) {
      const ordinal = accounts.ordinalOf(publisherId);
      return ordinal === undefined ? undefined : account(ordinal);
    },
    get publishers(): readonly PublisherKeys[] {
      publishers ??= publishersToCompare(world);
      return publishers;
    },
    impressionIds(of) {
      const known = impressions.get(of.ordinal);
      if (known !== undefined) return known;
      const { count } = of.book;
      const made = Array.from({ length: Math.min(count, MAX_COMPARED) }, (_, back) =>
        ids.impression.encode(of.ordinal, count - 1 - back),
      );
      impressions.set(of.ordinal, made);
      return made;
    },
  };
}

function publishersToCompare({ accounts, ids, population }: World): readonly PublisherKeys[] {
  const named = new Map<number, PublisherKeys>();
  for (const { ordinal, id, apiKey } of accounts.openedAccounts()) {
    if (named.size === MAX_COMPARED) break;
    named.set(ordinal, { ordinal, id, apiKey });
  }
  for (let ordinal = 0; ordinal < Math.min(population.size, MAX_COMPARED); ordinal += 1) {
    if (named.has(ordinal)) continue;
    // No account is open, so its key can't have been rotated.
    const id = ids.publisher.encode(ordinal, 0);
    named.set(ordinal, { ordinal, id, apiKey: ids.apiKey.encode(ordinal, 0) });
  }
  return [...named.values()];
}
