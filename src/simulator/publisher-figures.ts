/** A publisher's books and quotas as they are right now. Reads only. */

import { booksOf } from "../audit/check-account.ts";
import { InputError } from "../base/input.ts";
import { microsToInr } from "../base/money.ts";
import { createPayoutHistories } from "../exchange/operations/payout-histories.ts";
import type { QuotaLeft } from "../exchange/quota.ts";
import type { RunningWorld } from "./running-world.ts";

export interface PublisherFigures {
  /** Impressions and clicks since the world's start; amounts in INR with the seeded history: revenue = paid + pending. */
  readonly books: {
    readonly impressions: number;
    readonly clicks: number;
    readonly revenueInr: number;
    readonly paidInr: number;
    readonly pendingInr: number;
  };
  readonly quotas: readonly QuotaLeft[];
}

/** @throws InputError if no publisher has this id. */
export function figuresOf(world: RunningWorld, publisherId: string): PublisherFigures {
  const { accounts, clock, dayOf, exchange, population, settings } = world;
  const ordinal = accounts.ordinalOf(publisherId);
  const account = ordinal === undefined ? undefined : accounts.peek(ordinal);
  if (account === undefined) {
    throw new InputError("publisher", "names no publisher of this world", "not-found");
  }
  const payouts = createPayoutHistories(world, dayOf(settings.startMs));
  const history = payouts(account, dayOf(clock.now()));
  const books = booksOf(account, population.seededHistory(account), history);
  return {
    books: {
      ...books.events,
      revenueInr: microsToInr(books.revenueMicros),
      paidInr: microsToInr(books.paidMicros),
      pendingInr: microsToInr(books.pendingMicros),
    },
    quotas: exchange.quotasLeft(account),
  };
}
