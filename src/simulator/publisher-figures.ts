/** A publisher's books and quotas as they are right now. Reads only. */

import { amountsOf, type BookAmounts, type Books, booksOf } from "../audit/check-account.ts";
import type { QuotaLeft } from "../exchange/limits.ts";
import { payoutHistoryOf } from "../exchange/operations/revenue.ts";
import { accountWith } from "../world/accounts/publisher-directory.ts";
import type { RunningWorld } from "./running-world.ts";

export interface PublisherFigures {
  /** Impressions and clicks since the world's start; amounts in INR with the seeded history: revenue = paid + pending. */
  readonly books: Books["events"] & BookAmounts;
  readonly quotas: readonly QuotaLeft[];
}

/** @throws InputError if no publisher has this id. */
export function figuresOf(world: RunningWorld, publisherId: string): PublisherFigures {
  const { accounts, clock, dayOf, exchange, population } = world;
  const account = accountWith(publisherId, "peek", accounts);
  const history = payoutHistoryOf(population, account, dayOf(clock.now()));
  const books = booksOf(account, population.seededHistory(account), history);
  return {
    books: { ...books.events, ...amountsOf(books) },
    quotas: exchange.quotasLeft(account),
  };
}
