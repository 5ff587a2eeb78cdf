/** `adsim/assert`: checks of a simulated world, as functions that throw and as matchers, for any test runner. */

export {
  AssertionError,
  assertBalances,
  assertCredited,
  assertNoFindings,
  assertNoInvalidRequests,
  assertNoRecordedClick,
  assertNoRecordedImpression,
  assertNothingLostOrDoubled,
  assertReceived,
  assertRecordedClick,
  assertRecordedImpression,
  assertRespectsRateLimits,
  assertStats,
  assertUsedValidKeys,
} from "./assertions/assertions.ts";
export type { Check } from "./assertions/check.ts";
export type { CreditedWhere } from "./assertions/credited.ts";
export type { ClickMatch, ImpressionMatch } from "./assertions/event-filter.ts";
export type { Since } from "./assertions/events.ts";
export type { FindingOptions } from "./assertions/findings.ts";
export { matchers, type SimMatchers } from "./assertions/matchers.ts";
export type { RateLimitOptions } from "./assertions/rate-limits.ts";
export type { After, RequestMatch } from "./assertions/requests.ts";
export type { StatsMatch, SurfaceFigures } from "./assertions/stats-match.ts";
