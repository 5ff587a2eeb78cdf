/** The checks as matchers for `expect.extend` of Jest and vitest, and as functions that throw for any other runner. */

import type { SimulatorCore } from "../simulator/core.ts";
import { balances, nothingLostOrDoubled, stats } from "./audit.ts";
import type { Check } from "./check.ts";
import {
  type ClickMatch,
  credited,
  type ImpressionMatch,
  recordedClick,
  recordedImpression,
} from "./events.ts";
import {
  hasNoFindings,
  received,
  respectsRateLimits,
  sentNoInvalidRequests,
  usesValidKeys,
} from "./requests.ts";

/**
 * For `expect.extend(matchers)`. Each checks a simulator. It throws InputError for anything else, for an invalid argument,
 * and if the journal no longer holds the requests that it needs.
 */
export const matchers = {
  /** At least one matching impression is on record, or exactly `times`, whatever answers the client got. */
  toHaveRecordedImpression: recordedImpression,
  /** At least one matching click is on record, or exactly `times`, whatever answers the client got. */
  toHaveRecordedClick: recordedClick,
  /** Exactly this amount was credited, in INR and to the micro: in total, or where the conditions hold. */
  toHaveCredited: credited,
  /** The statistics endpoint has these figures. The request goes to a copy: it costs no quota and isn't journalled. */
  toHaveStats: stats,
  /** A limit refused no request, or at most `refusals`, and none came before a Retry-After was over. */
  toRespectRateLimits: respectsRateLimits,
  /** The tallies, the ledger and the payouts agree. */
  toBalance: balances,
  /** On record are exactly the events that the client believes are recorded, each once. */
  toHaveNothingLostOrDoubled: nothingLostOrDoubled,
  /** At least one matching request came, or exactly `times`. */
  toHaveReceived: received,
  /** No request is wrong at any time, such as one with an unknown path, a missing parameter or a foreign publisher. */
  toHaveNoInvalidRequests: sentNoInvalidRequests,
  /** Every request had a valid key, and none had one in its URL. */
  toHaveUsedValidKeys: usesValidKeys,
  /** `sim.report()` has no findings except those in `except`. */
  toHaveNoFindings: hasNoFindings,
};

export type Matchers = typeof matchers;
type Tail<All extends unknown[]> = All extends [unknown, ...infer Rest] ? Rest : never;

/** What `expect(sim)` has with them. */
export type SimMatchers = {
  readonly [Name in keyof Matchers]: (...expected: Tail<Parameters<Matchers[Name]>>) => void;
};

/** A check failed. It has the fields that test runners need to show both sides. */
export class AssertionError extends Error {
  override readonly name = "AssertionError";
  /** Tells node:test and Jest that `expected` and `actual` exist. */
  readonly code = "ERR_ASSERTION";
  readonly generatedMessage = false;
  readonly operator: string;
  readonly expected: unknown;
  readonly actual: unknown;

  constructor(operator: string, { message, expected, actual }: Check) {
    super(message());
    this.operator = operator;
    this.expected = expected;
    this.actual = actual;
  }
}

function asserting<Expected extends unknown[]>(
  checkOf: (sim: unknown, ...expected: Expected) => Check,
) {
  return (sim: SimulatorCore, ...expected: Expected): void => {
    const check = checkOf(sim, ...expected);
    if (!check.pass) throw new AssertionError(checkOf.name, check);
  };
}

// Each throws an AssertionError if its matcher fails, and InputError as the matcher does. What they expect stands there.
export const assertRecordedImpression = asserting(recordedImpression);
export const assertRecordedClick = asserting(recordedClick);
export const assertCredited = asserting(credited);
export const assertStats = asserting(stats);
export const assertRespectsRateLimits = asserting(respectsRateLimits);
export const assertBalances = asserting(balances);
export const assertNothingLostOrDoubled = asserting(nothingLostOrDoubled);
export const assertReceived = asserting(received);
export const assertNoInvalidRequests = asserting(sentNoInvalidRequests);
export const assertUsedValidKeys = asserting(usesValidKeys);
export const assertNoFindings = asserting(hasNoFindings);

export function assertNoRecordedImpression(
  sim: SimulatorCore,
  match?: Omit<ImpressionMatch, "times">,
): void {
  assertRecordedImpression(sim, { ...match, times: 0 });
}

export function assertNoRecordedClick(sim: SimulatorCore, match?: Omit<ClickMatch, "times">): void {
  assertRecordedClick(sim, { ...match, times: 0 });
}
