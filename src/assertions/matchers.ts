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
 * Matchers of a simulator, as `expect(sim)` has them. Each throws InputError for something that isn't a simulator, for an
 * argument that can't be, and where the journal has forgotten what it would need to tell.
 */
export interface SimMatchers {
  /** An impression is on record, whatever its client got for an answer: at least one that matches, or `times` of them. */
  toHaveRecordedImpression(match?: ImpressionMatch): void;
  /** A click is on record, likewise. */
  toHaveRecordedClick(match?: ClickMatch): void;
  /** So much was credited, in INR and to the micro: in all, or of a publisher, a surface, since. */
  toHaveCredited(amountInr: number, where?: CreditedWhere): void;
  /** The statistics endpoint says so. It is asked aside: no quota is spent, and nothing journalled. */
  toHaveStats(match: StatsMatch): void;
  /** No request was refused by a limit, or at most `refusals`, and none came before a Retry-After was over. */
  toRespectRateLimits(options?: RateLimitOptions): void;
  /** What was counted, the ledger and the payouts agree. */
  toBalance(): void;
  /** What the client believes recorded is on record once, and nothing else is. */
  toHaveNothingLostOrDoubled(clientCounts: ClientCounts | readonly ClientCounts[]): void;
  /** Requests came: at least one that matches, or `times` of them. */
  toHaveReceived(match?: RequestMatch): void;
  /** No request is wrong whenever it is sent: an unknown path, a missing parameter, a foreign publisher … */
  toHaveNoInvalidRequests(options?: After): void;
  /** Every request had a valid key, and none had one in its URL. */
  toHaveUsedValidKeys(options?: After): void;
  /** `sim.report()` has no findings, save for those excepted. */
  toHaveNoFindings(options?: FindingOptions): void;
}

type Matchers = {
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
