/** Figures of a new publisher, of a month and of a busy day that don't add up. */

import type { Defect } from "../defect.ts";
import { noticedBy } from "../noticed-by.ts";

export const bookDefects: readonly Defect[] = [
  {
    scenario: "fresh-publisher",
    says: "a sign-up gets a seeded history",
    file: "world/publishers/population.ts",
    find: "if (publisher.ordinal >= size) return undefined;",
    replace: "",
  },
  {
    scenario: "fresh-publisher",
    says: "a surface without traffic has no row",
    file: "exchange/operations/stats.ts",
    find: "all: () => true,",
    replace: "all: (totals) => totals.impressions > 0,",
  },
  ...noticedBy(["happy-month", "leap-day"], {
    says: "a month is paid a day early",
    file: "world/ledger/payout-history.ts",
    find: "const PAYOUT_DAY_OF_MONTH = 7;",
    replace: "const PAYOUT_DAY_OF_MONTH = 6;",
  }),
  {
    scenario: "happy-month",
    says: "an amount that was paid stays pending",
    file: "world/ledger/payout-history.ts",
    find: "paid += due;",
    replace: "",
  },
  ...noticedBy(["happy-month", "busy-day"], {
    says: "a click's revenue isn't recorded",
    file: "world/ledger/book.ts",
    find: "addClick(moment.today, micros);",
    replace: "addClick(moment.today, 0);",
  }),
  ...noticedBy(["happy-month", "busy-day"], {
    says: "answers show five decimals of the six",
    file: "base/money.ts",
    find: '(lastDigits[digits] ?? "")',
    replace: '(lastDigits[digits] ?? "").slice(0, 2)',
  }),
  {
    scenario: "busy-day",
    says: "rows beyond the first 8,192 overwrite each other",
    file: "world/ledger/impression-columns.ts",
    find: "chunk.micros[at] = micros;",
    replace: "chunk.micros[Math.min(row, CHUNK_ROWS - 1)] = micros;",
  },
];
