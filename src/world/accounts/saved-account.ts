/** The form of an account in a snapshot. */

import type { SavedBook } from "../ledger/book.ts";
import type { Person } from "../publishers/people.ts";
import type { SurfaceTerms } from "../publishers/seeded-publisher.ts";
import type { SavedBuckets } from "./buckets.ts";
import type { Tally } from "./tally.ts";

/** An account as JSON, except that the book may be in another form. */
export interface AccountState<KeptBook> extends SavedBuckets {
  readonly ordinal: number;
  readonly keySerial: number;
  readonly joined: number;
  readonly person?: Person | undefined;
  readonly surfaces: readonly SurfaceTerms[];
  readonly tally: Tally;
  readonly book: KeptBook;
}

export type SavedAccount = AccountState<SavedBook>;
