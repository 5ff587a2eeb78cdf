/** A publisher's figures for any range of days: the sum of the seeded history and of recorded events. */

import type { Day } from "../../base/calendar.ts";
import type { AssumptionKey } from "../../spec/assumptions/catalogue.ts";
import type { Account } from "../../world/accounts/account.ts";
import { totalsBetween } from "../../world/ledger/book.ts";
import type { Population } from "../../world/publishers/population.ts";
import type { Totals } from "../../world/publishers/seeded-history.ts";

/** The totals of each surface, in the account's order, from `from` to `to`, both included. */
export function surfaceTotals(
  population: Population,
  account: Account,
  from: Day,
  to: Day,
): Totals[] {
  const history = population.seededHistory(account);
  return account.surfaces.map((_, index) => {
    const recorded = totalsBetween(account.book, index, from, to);
    const before = history?.between(index, from, to);
    if (before === undefined) return recorded;
    return {
      impressions: before.impressions + recorded.impressions,
      clicks: before.clicks + recorded.clicks,
      micros: before.micros + recorded.micros,
    };
  });
}

/** The assumptions for which another choice would change the seeded history of these days: of all surfaces, or `only` one. */
export function historyShapedBy(
  population: Population,
  account: Account,
  from: Day,
  to: Day,
  only?: number,
): AssumptionKey[] {
  const history = population.seededHistory(account);
  const keys = new Set<AssumptionKey>();
  for (const index of account.surfaces.keys()) {
    if (only !== undefined && index !== only) continue;
    for (const key of history?.shapedBy(index, from, to) ?? []) keys.add(key);
  }
  return Array.from(keys);
}
