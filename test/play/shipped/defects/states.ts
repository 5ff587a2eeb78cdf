/** Surfaces and payouts whose status means something else than it says. */

import type { Defect } from "../defect.ts";
import { noticedBy } from "../noticed-by.ts";

export const stateDefects: readonly Defect[] = [
  ...noticedBy(["surface-paused", "unknown-status"], {
    says: "a paused surface records impressions",
    file: "exchange/operations/impression.ts",
    find: 'const active = surface.status === "active";',
    replace: 'const active = surface.status !== "archived";',
  }),
  {
    scenario: "surface-paused",
    says: "an impression on a paused surface earns",
    file: "exchange/operations/impression.ts",
    find: "const micros = active ? priceOf(account, surface) : 0;",
    replace: "const micros = priceOf(account, surface);",
  },
  {
    scenario: "surface-paused",
    says: "one paused surface pauses all of them",
    file: "world/accounts/publisher-directory.ts",
    find: "surface.id === surfaceId ? after : surface,",
    replace: "surface.id === surfaceId ? after : { ...surface, status: after.status },",
  },
  {
    scenario: "unknown-status",
    says: "a payout changes its status a day late",
    file: "world/ledger/payout-lifecycles.ts",
    find: "if (age >= sinceDay) status = next;",
    replace: "if (age > sinceDay) status = next;",
  },
  {
    scenario: "unknown-status",
    says: "a payout that was reversed loses its reference",
    file: "world/ledger/payout-lifecycles.ts",
    find: 'return status === "paid" || status === "reversed";',
    replace: 'return status === "paid";',
  },
  ...noticedBy(["payout-month-end", "long-payout-list", "unknown-status"], {
    says: "an amount equal to the threshold isn't paid",
    file: "world/ledger/payout-history.ts",
    find: "if (due < threshold) {",
    replace: "if (due <= threshold) {",
  }),
  {
    scenario: "payout-month-end",
    says: "an amount too small to be paid is forgotten",
    file: "world/ledger/payout-history.ts",
    find: "rolledOver = due;",
    replace: "rolledOver = 0;",
  },
  ...noticedBy(["payout-month-end", "unknown-status"], {
    says: "a month is paid a day late",
    file: "world/ledger/payout-history.ts",
    find: "if (date > today) break;",
    replace: "if (date >= today) break;",
  }),
  {
    scenario: "long-payout-list",
    says: "a list that is cut short has the oldest payouts",
    file: "exchange/operations/payouts.ts",
    find: "payouts.slice(-limit).reverse(),",
    replace: "payouts.slice(0, limit).reverse(),",
  },
  {
    scenario: "long-payout-list",
    says: "the default limit is the maximum",
    file: "spec/operations.ts",
    find: "default: 20,",
    replace: "default: 100,",
  },
  {
    scenario: "long-payout-list",
    says: "a limit of 0 counts as 1",
    file: "exchange/validate.ts",
    find: "if (value >= minimum && value <= maximum) return",
    replace:
      'if (value === 0) return { kind: "value", value: 1 };\n  if (value >= minimum && value <= maximum) return',
  },
];
