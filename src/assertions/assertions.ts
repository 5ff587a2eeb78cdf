/** The checks as functions that throw, for node:test and anything else. */

import type { ClientCounts } from "../audit/client-counts.ts";
import { InputError } from "../base/input.ts";
import type { SimulatorCore } from "../simulator/core.ts";
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

/** A check failed. It has the fields that test runners need to show both sides. */
export class AssertionError extends Error {
  override readonly name = "AssertionError";
  /** Tells node:test and Jest that `expected` and `actual` exist. */
  readonly code = "ERR_ASSERTION";
  readonly generatedMessage = false;
  readonly operator: string;
  readonly expected: unknown;
  readonly actual: unknown;

  constructor(message: string, sides: Pick<AssertionError, "operator" | "expected" | "actual">) {
    super(message);
    this.operator = sides.operator;
    this.expected = sides.expected;
    this.actual = sides.actual;
  }
}

/** Expects an impression on record: at least one that matches, or `times` of them. @throws AssertionError, InputError */
export function assertRecordedImpression(sim: SimulatorCore, match?: ImpressionMatch): void {
  holds("recordedImpression", recordedImpression(sim, match));
}

/** Expects that no impression on record matches. @throws AssertionError, InputError */
export function assertNoRecordedImpression(
  sim: SimulatorCore,
  match?: Omit<ImpressionMatch, "times">,
): void {
  fails("noRecordedImpression", recordedImpression(sim, match), match);
}

/** Expects a click on record: at least one that matches, or `times` of them. @throws AssertionError, InputError */
export function assertRecordedClick(sim: SimulatorCore, match?: ClickMatch): void {
  holds("recordedClick", recordedClick(sim, match));
}

/** Expects that no click on record matches. @throws AssertionError, InputError */
export function assertNoRecordedClick(sim: SimulatorCore, match?: Omit<ClickMatch, "times">): void {
  fails("noRecordedClick", recordedClick(sim, match), match);
}

/** Expects this amount credited, in INR and to the micro: in total, or `where`. @throws AssertionError, InputError */
export function assertCredited(sim: SimulatorCore, amountInr: number, where?: CreditedWhere): void {
  holds("credited", credited(sim, amountInr, where));
}

/** Expects these figures of the statistics endpoint. The request goes to a copy. @throws AssertionError, InputError */
export function assertStats(sim: SimulatorCore, match: StatsMatch): void {
  holds("stats", stats(sim, match));
}

/** Expects clients to keep to the limits and to Retry-After. @throws AssertionError, InputError */
export function assertRespectsRateLimits(sim: SimulatorCore, options?: RateLimitOptions): void {
  holds("respectsRateLimits", respectsRateLimits(sim, options));
}

/** Expects the tallies, the ledger and the payouts to agree. @throws AssertionError */
export function assertBalances(sim: SimulatorCore): void {
  holds("balances", balances(sim));
}

/** Expects the ledger to have exactly the client's events, each once. @throws AssertionError, InputError */
export function assertNothingLostOrDoubled(
  sim: SimulatorCore,
  clientCounts: ClientCounts | readonly ClientCounts[],
): void {
  holds("nothingLostOrDoubled", nothingLostOrDoubled(sim, clientCounts));
}

/** Expects requests: at least one that matches, or `times` of them. @throws AssertionError, InputError */
export function assertReceived(sim: SimulatorCore, match?: RequestMatch): void {
  holds("received", received(sim, match));
}

/** Expects no request that is wrong at any time. @throws AssertionError, InputError */
export function assertNoInvalidRequests(sim: SimulatorCore, options?: After): void {
  holds("noInvalidRequests", sentNoInvalidRequests(sim, options));
}

/** Expects a valid key with every request, and none in a URL. @throws AssertionError, InputError */
export function assertUsedValidKeys(sim: SimulatorCore, options?: After): void {
  holds("usedValidKeys", usesValidKeys(sim, options));
}

/** Expects `sim.report()` to have no findings except those in `except`. @throws AssertionError, InputError */
export function assertNoFindings(sim: SimulatorCore, options?: FindingOptions): void {
  holds("noFindings", hasNoFindings(sim, options));
}

function holds(operator: string, { pass, message, expected, actual }: Check): void {
  if (!pass) throw new AssertionError(message(), { operator, expected, actual });
}

function fails(operator: string, { pass, message, actual }: Check, match: object = {}): void {
  // With `times: 5`, the negation would pass for four.
  if ("times" in match && match.times !== undefined) {
    throw new InputError("times", "must be left out when none is expected");
  }
  if (pass) throw new AssertionError(message(), { operator, expected: undefined, actual });
}
