/** What the campaigns are about: which assumptions take any choice, and which commands come often. */

import type { Campaign } from "./campaign.ts";

type Topic = Pick<Campaign, "about" | "weights" | "unusualOneIn">;

export const recording: Topic = {
  about: [
    "auth.key-scope",
    "limit.algorithm",
    "dedup.key",
    "dedup.window",
    "dedup.repeat",
    "click.unknown",
    "click.repeat",
    "click.window",
    "click.revenue",
    "surface.unknown",
    "surface.inactive",
    "surface.statuses",
    "money.precision",
  ],
  weights: { impression: 40, click: 24, stats: 8, "dedup-edge": 6, "click-edge": 6 },
  unusualOneIn: 12,
};

export const reading: Topic = {
  about: [
    "auth.key-scope",
    "limit.algorithm",
    "surface.unknown",
    "payout.statuses",
    "payout.txn-id",
    "payout.limit-over-max",
    "payout.order",
    "payout.cycle",
    "payout.threshold",
    "date.timezone",
    "date.inverted-range",
    "date.future",
    "stats.today",
    "stats.surfaces",
    "stats.filter-unlisted",
    "money.precision",
  ],
  weights: {
    impression: 20,
    click: 8,
    stats: 24,
    payouts: 12,
    "payout-edge": 12,
    overnight: 5,
    advance: 22,
  },
  unusualOneIn: 12,
};

export const limits: Topic = {
  about: [
    "auth.key-scope",
    "errors.body",
    "limit.algorithm",
    "limit.exceeded",
    "limit.retry-after",
    "limit.headers",
    "limit.recording-pool",
    "limit.reporting-endpoints",
    "limit.rejected-requests",
  ],
  weights: { flood: 16, stats: 16, impression: 14, advance: 22 },
  unusualOneIn: 6,
};

export const requests: Topic = {
  about: [
    "request.encoding",
    "request.unknown-fields",
    "request.empty-value",
    "request.scalar-types",
    "auth.failure",
    "auth.key-scope",
    "auth.foreign-publisher",
    "auth.scheme-case",
    "errors.body",
    "errors.invalid",
    "errors.method",
    "http.trailing-slash",
    "http.head",
    "http.content-type",
    "limit.algorithm",
    "click.unknown",
    "surface.unknown",
    "ids.format",
    "response.extra-fields",
    "response.key-order",
  ],
  weights: { advance: 10 },
  unusualOneIn: 2,
};
