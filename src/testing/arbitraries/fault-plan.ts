/** Random fault rules with every kind of verdict. They fire a limited number of times, and delays are bounded. */

import fc from "fast-check";
import { given } from "../../base/plain-data.ts";
import { type FaultMatch, type FaultRule, parseRule } from "../../faults/rule.ts";
import type { VerdictKind } from "../../faults/verdict.ts";
import { unconfirmedWays, wrongWays } from "../../faults/wrong-body.ts";
import { type OperationId, operationIds } from "../../spec/operations.ts";
import { checkKnown, checkNames } from "../options.ts";
import { sequenceOf } from "./sequence.ts";

export interface ArbitraryFaultRuleOptions {
  /** @default every kind */
  readonly kinds?: readonly VerdictKind[] | undefined;
  /** The operations that rules may match. @default all of them, and rules that match any request */
  readonly operations?: readonly OperationId[] | undefined;
  /** The maximum number of times that a rule fires. @default 3 */
  readonly mostTimes?: number | undefined;
  /** The longest delay, in milliseconds, up to an hour. @default 10000 */
  readonly longestDelayMs?: number | undefined;
}

type Made = Readonly<Record<string, unknown>>;

const loss = maybe(fc.constantFrom("close", "reset", "silence"));
const nothing = fc.constant({});

/** The members of each kind, besides the delay that all may have. A kind that is missing here is a type error. */
const verdicts: Readonly<Record<VerdictKind, fc.Arbitrary<Made>>> = {
  drop: fc.record({ as: loss }),
  "lose-response": fc.record({ as: loss }),
  respond: fc.record({
    status: fc.constantFrom(503, 500, 502, 504, 429, 408, 409, 404, 403, 401, 400, 422),
    headers: maybe(fc.constantFrom("1", "0", "120").map((pause) => ({ "retry-after": pause }))),
    body: maybe(fc.constantFrom<unknown>("busy", "<html></html>", { error: "busy" }, [])),
    applied: maybe(fc.boolean()),
  }),
  delay: nothing,
  timeout: nothing,
  reset: nothing,
  empty: nothing,
  truncate: fc.record({ share: fc.constantFrom(0, 0.5, 0.9, 1) }),
  garbage: fc.record({ as: maybe(fc.constantFrom("body", "response")) }),
  // No client can notice that an event isn't recorded if the answer confirms it.
  "wrong-body": fc.oneof(
    fc.record({ wrong: fc.constantFrom(...unconfirmedWays), applied: maybe(fc.boolean()) }),
    fc.record({ wrong: fc.constantFrom(...wrongWays) }),
  ),
  drip: fc.record({ bytesPerSecond: fc.constantFrom(1000, 10, 100_000) }),
  duplicate: fc.record({ answer: maybe(fc.constantFrom("first", "second")) }),
  reorder: fc.record({ by: maybe(fc.integer({ min: 1, max: 3 })) }),
};

// The names of a record are its keys. The plainest first.
const verdictKinds = Object.keys(verdicts) as VerdictKind[];

/**
 * Up to three rules for a simulator's option `faults` or `sim.faults.add`. A failure shrinks to few rules, which fire at
 * their first request, without a delay.
 *
 * @throws InputError that names the invalid option.
 */
export function arbitraryFaultPlan(
  options: ArbitraryFaultRuleOptions = {},
): fc.Arbitrary<readonly FaultRule[]> {
  return sequenceOf(arbitraryFaultRule(options), { minLength: 0, maxLength: 3 });
}

/** One rule. @throws InputError that names the invalid option. */
export function arbitraryFaultRule(
  options: ArbitraryFaultRuleOptions = {},
): fc.Arbitrary<FaultRule> {
  checkNames(options, ["kinds", "operations", "mostTimes", "longestDelayMs"]);
  const { kinds = verdictKinds, operations, mostTimes = 3, longestDelayMs = 10_000 } = options;
  checkKnown("kinds", kinds, verdictKinds);
  if (operations !== undefined) checkKnown("operations", operations, operationIds);
  const delay = fc.integer({ min: 1, max: longestDelayMs });
  // Shrinks to the first kind if any kind fails.
  const verdict = fc.oneof(
    { withCrossShrink: true },
    ...kinds.map((kind) =>
      fc
        .tuple(kind === "delay" ? delay : maybe(delay), verdicts[kind])
        .map(([late, made]) => ({ kind, ...given({ delay: late, ...made }) })),
    ),
  );
  const any = maybe(fc.constantFrom(...operationIds));
  const operation = operations === undefined ? any : fc.constantFrom(...operations);
  const times = fc.integer({ min: 1, max: mostTimes });
  const match = fc
    .tuple(operation, which, times)
    .map(([about, chosen, most]) => ({ operation: about, ...chosen, times: most }));
  // Parsing drops undefined members. If it throws, the bug is here.
  return fc.record({ match, verdict }).map((rule) => parseRule(rule));
}

/** Which of the requests that a rule looks at. */
const which: fc.Arbitrary<FaultMatch> = fc.oneof(
  { withCrossShrink: true },
  fc.constant({}),
  fc.integer({ min: 1, max: 4 }).map((nth) => ({ nth })),
  fc.integer({ min: 2, max: 3 }).map((every) => ({ every })),
  fc.constantFrom(0.25, 0.5, 0.75).map((share) => ({ share })),
);

/** Undefined half of the time. Shrinks to undefined. */
function maybe<Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.option(arbitrary, { nil: undefined, freq: 2 });
}
