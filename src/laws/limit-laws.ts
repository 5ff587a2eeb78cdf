/** The laws of the request limits (L1 to L8). */

import { operations } from "../spec/operations.ts";
import { floodOf, REPORTING } from "./flood.ts";
import {
  ensure,
  ensureSame,
  inconclusive,
  type Law,
  type LawCheck,
  type LawContext,
  readingsOf,
} from "./law.ts";
import { poolsInRun } from "./quota-pools.ts";
import { type Algorithm, judgeArrivals, type QuotaFindings, type QuotaRequest } from "./quotas.ts";
import { checkLegibleRun } from "./rerun.ts";
import { ask, copyOf, viewOf, type WorldCopy, waitIn } from "./world-copy.ts";

export const limitLaws: readonly Law[] = [
  {
    id: "L1",
    says: "Fixed window: the first requests of a window are admitted, up to the limit.",
    ...checksOf("decision", algorithmAmong("fixed-window")),
  },
  {
    id: "L2",
    says: "Sliding window: a request is refused exactly when the last 60 seconds are full.",
    ...checksOf("decision", algorithmAmong("sliding-log")),
  },
  {
    id: "L3",
    says: "Token bucket: every interval admits exactly what was in the bucket plus what came back meanwhile.",
    ...checksOf("decision", algorithmAmong("token-bucket")),
  },
  {
    id: "L4",
    says: "A request after Retry-After is admitted. One a second earlier is refused.",
    checkCopy: retryAfterInCopy,
  },
  {
    id: "L5",
    says: "X-RateLimit-Remaining falls by one with each admitted request, and is never below 0.",
    ...checksOf("remaining", algorithmOf),
  },
  {
    id: "L6",
    says: "A request that the limit refuses changes nothing.",
    checkCopy: refusedChangesNothing,
  },
  { id: "L7", says: "X-RateLimit-Remaining is on every response.", checkTrace: remainingOnAll },
  {
    id: "L8",
    says: "Publishers and keys don't spend each other's quota.",
    checkCopy: quotasAreSeparate,
  },
];

function algorithmOf(played: LawContext): Algorithm {
  return readingsOf(played)["limit.algorithm"];
}

/** The algorithm in force; inconclusive if it isn't one of these. */
function algorithmAmong(...algorithms: readonly Algorithm[]): typeof algorithmOf {
  return (played) => {
    const algorithm = algorithmOf(played);
    return algorithms.includes(algorithm)
      ? algorithm
      : inconclusive(`the limit in force is a ${algorithm}`);
  };
}

/** Compares the algorithm with the requests of the run, and with those that use up a quota in a copy. */
function checksOf(
  aspect: Aspect,
  algorithmIn: typeof algorithmOf,
): Pick<Law, "checkTrace" | "checkCopy" | "checkRerun"> {
  const checkTrace = (played: LawContext): string => judgeRun(played, algorithmIn(played), aspect);
  const checkCopy: LawCheck = (played) => {
    const algorithm = algorithmIn(played);
    const { arrivals } = floodOf(played);
    return judgeFlood(judgeArrivals(arrivals, REPORTING, algorithm), aspect, arrivals);
  };
  return { checkTrace, checkCopy, checkRerun: checkLegibleRun(checkTrace) };
}

type Aspect = "decision" | "remaining";

function judgeRun(played: LawContext, algorithm: Algorithm, aspect: Aspect): string {
  const pools = poolsInRun(played);
  let arrivals = 0;
  let limited = 0;
  for (const pool of pools) {
    const findings = judgeArrivals(pool.arrivals, pool.size, algorithm);
    ensure(findings[aspect] === undefined, () => findings[aspect] ?? "");
    arrivals += pool.arrivals.length;
    limited += findings.limited;
  }
  if (arrivals === 0) inconclusive("no request counted against a known quota");
  return `${arrivals} requests, ${limited} of them over the limit`;
}

function judgeFlood(
  findings: QuotaFindings,
  aspect: Aspect,
  arrivals: readonly QuotaRequest[],
): string {
  ensure(findings[aspect] === undefined, () => findings[aspect] ?? "");
  if (findings.limited === 0) inconclusive(NOT_REACHED);
  return `${arrivals.length} requests with one key, in a copy of the world`;
}

const NOT_REACHED = "the limit wasn't reached in a copy of the world";

function retryAfterInCopy(played: LawContext): string {
  const { readings } = copyOf(played);
  if (readings["limit.retry-after"] === "absent")
    inconclusive("under limit.retry-after=absent answers don't say when to retry");
  const { refused, waitMs, early, due } = floodOf(played);
  const hint = refused.headers["retry-after"];
  if (refused.status !== 429) inconclusive(NOT_REACHED);
  ensure(
    waitMs !== undefined && waitMs > 0 && waitMs <= 120_000,
    () => `the refusal's Retry-After is ${hint}`,
  );
  ensure(early?.status === 429, () => `Retry-After is ${hint}, but a second less was enough`);
  ensure(
    due?.status === 200,
    () => `Retry-After is ${hint}, but the answer after it was ${due?.status}`,
  );
  return `a Retry-After of ${hint}, in a copy of the world`;
}

function refusedChangesNothing(played: LawContext): string {
  const { refused, repeated, stateBefore, stateAfter } = floodOf(played);
  if (refused.status !== 429) inconclusive(NOT_REACHED);
  const [one, other] = [refused, repeated].map(
    ({ status, headers, text }) =>
      `${status} ${headers["x-ratelimit-remaining"]} ${headers["retry-after"]} ${text}`,
  );
  ensure(one === other, () => `refused twice at one instant, with ${one} and ${other}`);
  ensure(stateBefore === stateAfter, () => "a refused request changed the state or the audit");
  return "a key with its quota used up, and one more request, in a copy of the world";
}

function remainingOnAll({ trace, readings }: LawContext): string {
  // The specification doesn't say what another service's number looks like.
  const number = readings === undefined ? /^-?\d+(?:\.\d+)?$/ : /^\d+$/;
  const { withoutRemaining, kept, scriptedFrom, total } = trace;
  ensure(
    withoutRemaining.count === 0,
    () => `${withoutRemaining.count} responses don't have it, the first: ${withoutRemaining.first}`,
  );
  let responses = 0;
  for (const [at, { status, remaining, method, path }] of kept.entries()) {
    if (status === 0 || at >= scriptedFrom) continue;
    responses += 1;
    ensure(number.test(remaining ?? ""), () => `${method} ${path} got ${remaining}`);
  }
  if (responses === 0)
    inconclusive(total === 0 ? "nothing was sent" : "the service made none of the responses");
  return `the responses to ${total} requests`;
}

function quotasAreSeparate(played: LawContext): string {
  const { otherRemaining, readsBefore, readsDuring } = floodOf(played);
  ensure(
    otherRemaining === String(REPORTING - 1),
    () =>
      `while one key had used up its quota, another's first request left ${otherRemaining} of ${REPORTING}`,
  );
  for (const [place, before] of readsBefore.entries())
    ensureSame(before, readsDuring[place] ?? "", "while another key had used up its quota");
  const copy = copyOf(played);
  const left = recordingQuotas(copy);
  ensure(
    left.first === left.second,
    () => `an impression of one publisher left another ${left.second} of ${left.first}`,
  );
  return "two keys and two publishers, in a copy of the world";
}

/** The quota left after the first impression of two publishers. The first one records another in between. */
function recordingQuotas(copy: WorldCopy): { first: string; second: string } {
  // After two minutes every algorithm has refilled a quota that other laws used.
  waitIn(copy, 120_000);
  const [probe, other] = copy.probes;
  const record = (member: typeof probe): string => {
    const { path } = operations.impression;
    const answer = ask(copy, member, "impression", viewOf(member, "law L8"));
    return (
      answer.headers["x-ratelimit-remaining"] ??
      inconclusive(`${path} was answered with ${answer.status}`)
    );
  };
  const first = record(probe);
  record(probe);
  return { first, second: record(other) };
}
