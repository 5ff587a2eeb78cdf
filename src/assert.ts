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
  matchers,
  type SimMatchers,
} from "./assertions/assertions.ts";
export type { StatsMatch, SurfaceFigures } from "./assertions/audit.ts";
export type { After, Check } from "./assertions/check.ts";
export type { ClickMatch, CreditedWhere, ImpressionMatch, Since } from "./assertions/events.ts";

export type {
  FindingOptions,
  RateLimitOptions,
  RequestMatch,
} from "./assertions/requests.ts";
