/** The checks as matchers, for `expect.extend` of Jest and vitest. */

import type { ClientCounts } from "../audit/client-counts.ts";
import { balances, nothingLostOrDoubled } from "./books.ts";
import type { Check } from "./check.ts";
import { type CreditedWhere, credited } from "./credited.ts";
import type { ClickMatch, ImpressionMatch } from "./event-filter.ts";
import { type FindingOptions, hasNoFindings } from "./findings.ts";
import { type RateLimitOptions, respectsRateLimits } from "./rate-limits.ts";
import { recordedClick, recordedImpression } from "./recorded.ts";
import {
  type After,
  type RequestMatch,
  received,
  sentNoInvalidRequests,
  usesValidKeys,
} from "./requests.ts";
import { type StatsMatch, stats } from "./stats-match.ts";

/**
 * The matchers of `expect(sim)`. Each throws InputError for anything but a simulator, for an invalid argument, and if the
 * journal no longer holds the requests that it needs.
 */
export interface SimMatchers {
  /** At least one matching impression is on record, or exactly `times`, whatever answers the client got. */
  toHaveRecordedImpression(match?: ImpressionMatch): void;
  /** At least one matching click is on record, or exactly `times`, whatever answers the client got. */
  toHaveRecordedClick(match?: ClickMatch): void;
  /** Exactly this amount was credited, in INR and to the micro: in total, or where the conditions hold. */
  toHaveCredited(amountInr: number, where?: CreditedWhere): void;
  /** The statistics endpoint has these figures. The request goes to a copy: it costs no quota and isn't journalled. */
  toHaveStats(match: StatsMatch): void;
  /** A limit refused no request, or at most `refusals`, and none came before a Retry-After was over. */
  toRespectRateLimits(options?: RateLimitOptions): void;
  /** The tallies, the ledger and the payouts agree. */
  toBalance(): void;
  /** The books have exactly the events that the client believes are recorded, each once. */
  toHaveNothingLostOrDoubled(clientCounts: ClientCounts | readonly ClientCounts[]): void;
  /** At least one matching request came, or exactly `times`. */
  toHaveReceived(match?: RequestMatch): void;
  /** No request is wrong at any time, such as one with an unknown path, a missing parameter or a foreign publisher. */
  toHaveNoInvalidRequests(options?: After): void;
  /** Every request had a valid key, and none had one in its URL. */
  toHaveUsedValidKeys(options?: After): void;
  /** `sim.report()` has no findings except those in `except`. */
  toHaveNoFindings(options?: FindingOptions): void;
}

/** By name. The first argument of each is the simulator. */
export type Matchers = {
  readonly [Name in keyof SimMatchers]: (
    sim: unknown,
    ...expected: Parameters<SimMatchers[Name]>
  ) => Check;
};

/** For `expect.extend(matchers)`. */
export const matchers: Matchers = {
  toHaveRecordedImpression: recordedImpression,
  toHaveRecordedClick: recordedClick,
  toHaveCredited: credited,
  toHaveStats: stats,
  toRespectRateLimits: respectsRateLimits,
  toBalance: balances,
  toHaveNothingLostOrDoubled: nothingLostOrDoubled,
  toHaveReceived: received,
  toHaveNoInvalidRequests: sentNoInvalidRequests,
  toHaveUsedValidKeys: usesValidKeys,
  toHaveNoFindings: hasNoFindings,
};
