/** The laws of the request limits (L1 to L8). */

import { documentedLimits, operations } from "../../spec/operations.ts";
import { type Exchange, type Playing, performAside } from "../player/effects.ts";
import { type Aside, asideOf, ask, freshKey, nowAside, waitAside } from "./aside.ts";
import {
  type Evidence,
  type Invariant,
  invariant,
  type Look,
  notKnown,
  once,
  readingsOf,
  require,
} from "./evidence.ts";
import { poolsInRun } from "./pools.ts";
import { type Algorithm, type Arrival, type Findings, judgeArrivals } from "./quotas.ts";

export const limits: readonly Invariant[] = [
  invariant(
    "L1",
    "Fixed window: of a window's requests the first are admitted, as many as the limit says.",
    ...decisionsUnder("fixed-window", "fixed-from-first"),
  ),
  invariant(
    "L2",
    "Sliding window: a request is refused just when the last 60 seconds are full.",
    ...decisionsUnder("sliding-log", "sliding-counter"),
  ),
  invariant(
    "L3",
    "Token bucket: no interval admits more than the bucket and what flows in meanwhile, and none less.",
    ...decisionsUnder("token-bucket"),
  ),
  invariant("L4", "Retry-After admits, and a second less doesn't.", retryAfterAside),
  invariant(
    "L5",
    "X-RateLimit-Remaining falls by one with each admitted request, and never below 0.",
    remainingInRun,
    remainingAside,
  ),
  invariant("L6", "A request that the limit refuses changes nothing.", refusedChangesNothing),
  invariant("L7", "X-RateLimit-Remaining is on every response.", remainingOnAll),
  invariant("L8", "Publishers and keys don't spend each other's quota.", apart),
];

function decisionsUnder(...algorithms: readonly Algorithm[]): Look[] {
  const check = (evidence: Evidence): Algorithm => {
    const algorithm = readingsOf(evidence)["limit.algorithm"];
    return algorithms.includes(algorithm)
      ? algorithm
      : notKnown(`the limit in force is read as ${algorithm}`);
  };
  return [
    function* (evidence) {
      const algorithm = check(evidence);
      return yield* judgedInRun(evidence, algorithm, "decision");
    },
    function* (evidence) {
      const algorithm = check(evidence);
      const { arrivals } = yield* floodOf(evidence);
      return judged(judgeArrivals(arrivals, REPORTING, algorithm), "decision", arrivals);
    },
  ];
}

function* remainingInRun(evidence: Evidence): Playing<string> {
  return yield* judgedInRun(evidence, readingsOf(evidence)["limit.algorithm"], "remaining");
}

function* remainingAside(evidence: Evidence): Playing<string> {
  const { arrivals } = yield* floodOf(evidence);
  const algorithm = readingsOf(evidence)["limit.algorithm"];
  return judged(judgeArrivals(arrivals, REPORTING, algorithm), "remaining", arrivals);
}

type Aspect = "decision" | "remaining";

function* judgedInRun(evidence: Evidence, algorithm: Algorithm, aspect: Aspect): Playing<string> {
  const pools = yield* poolsInRun(evidence);
  let arrivals = 0;
  let limited = 0;
  for (const pool of pools) {
    const findings = judgeArrivals(pool.arrivals, pool.size, algorithm);
    require(findings[aspect] === undefined, () => findings[aspect] ?? "");
    arrivals += pool.arrivals.length;
    limited += findings.limited;
  }
  if (arrivals === 0) notKnown("no request asked for a quota that is known");
  return `${arrivals} requests, ${limited} of them over the limit`;
}

function judged(findings: Findings, aspect: Aspect, arrivals: readonly Arrival[]): string {
  require(findings[aspect] === undefined, () => findings[aspect] ?? "");
  if (findings.limited === 0) notKnown("aside the limit wasn't reached");
  return `${arrivals.length} requests with one key, aside`;
}

const REPORTING = documentedLimits.reporting.requests;

/** A key's quota used up aside, and what was found on the way. */
interface Flood {
  readonly arrivals: readonly Arrival[];
  /** The answer to the first request over the limit, and to the same again at once. */
  readonly refused: Exchange;
  readonly again: Exchange;
  /** Whether anything but the journal changed from the one to the other. */
  readonly auditBefore: string;
  readonly auditAfter: string;
  /** Remaining of another key's first request at that time. */
  readonly otherRemaining: string | undefined;
  /** How long the first refusal says to wait; undefined where it doesn't say. */
  readonly waitMs: number | undefined;
  /** A second before that, and at that time. */
  readonly early: Exchange | undefined;
  readonly due: Exchange | undefined;
}

/** More than any algorithm admits in the time that is let pass meanwhile. */
const MOST_SENT = 90;
const MINUTE_MS = 60_000;
const PAUSE_MS = 10_250;
const SECOND_MS = 1000;

function floodOf(evidence: Evidence): Playing<Flood> {
  return once(evidence, "flood", function* () {
    const aside = yield* asideOf(evidence);
    const [lab, other] = aside.labs;
    const isExact = evidence.abilities.time.kind === "virtual";
    const arrivals: Arrival[] = [];
    let nowMs = yield* nowAside();
    const pause = function* (ms: number): Playing<void> {
      yield* waitAside(aside, ms);
      nowMs = isExact ? nowMs + ms : yield* nowAside();
    };
    const send = function* (): Playing<Exchange> {
      const atMs = isExact ? nowMs : yield* nowAside();
      const answer = yield* ask(aside, lab, "stats");
      arrivals.push(arrivalOf(answer, atMs));
      return answer;
    };
    // A minute that has just begun holds all of it.
    yield* pause(MINUTE_MS - (nowMs % MINUTE_MS));
    yield* freshKey(aside, lab);
    for (let sent = 0; sent < REPORTING / 2; sent += 1) yield* send();
    yield* pause(PAUSE_MS);
    let refused = yield* send();
    while (refused.status !== 429 && arrivals.length < MOST_SENT) refused = yield* send();
    const auditBefore = yield* auditAside();
    const again = yield* send();
    const auditAfter = yield* auditAside();
    yield* freshKey(aside, other);
    const { "x-ratelimit-remaining": otherRemaining } = (yield* ask(aside, other, "stats")).headers;
    const waitMs = waitOf(refused, isExact ? nowMs : yield* nowAside());
    let early: Exchange | undefined;
    let due: Exchange | undefined;
    if (waitMs !== undefined && waitMs > 0) {
      const before = Math.max(0, waitMs - SECOND_MS);
      if (before > 0) yield* pause(before);
      early = yield* send();
      yield* pause(waitMs - before);
      due = yield* send();
    }
    return {
      arrivals,
      refused,
      again,
      auditBefore,
      auditAfter,
      otherRemaining,
      waitMs,
      early,
      due,
    };
  });
}

function* auditAside(): Playing<string> {
  const { at: _, ...audit } = yield* performAside<"audit">({ kind: "audit" });
  return JSON.stringify(audit);
}

/** Aside a refusal by the limit is 429, and nothing else is. */
function arrivalOf(answer: Exchange, atMs: number): Arrival {
  const { status, headers } = answer;
  if (status !== 200 && status !== 429)
    notKnown(`stats was answered with ${status || answer.outcome}`);
  const was = status === 429 ? "refused" : "admitted";
  return {
    atMs,
    came: status === 429 ? "limited" : "spent",
    otherwise: "spent",
    remaining: headers["x-ratelimit-remaining"],
    what: () => `stats at ${new Date(atMs).toISOString()} was ${was}`,
  };
}

/** In milliseconds from now. Undefined without a Retry-After, NaN for one that is neither seconds nor a date. */
function waitOf({ headers }: Exchange, nowMs: number): number | undefined {
  const hint = headers["retry-after"];
  if (hint === undefined) return undefined;
  return /^\d+$/.test(hint) ? Number(hint) * SECOND_MS : Date.parse(hint) - nowMs;
}

function* retryAfterAside(evidence: Evidence): Playing<string> {
  const { readings } = yield* asideOf(evidence);
  if (readings["limit.retry-after"] === "absent")
    notKnown("under limit.retry-after=absent nothing says when to come back");
  const { refused, waitMs, early, due } = yield* floodOf(evidence);
  const hint = refused.headers["retry-after"];
  if (refused.status !== 429) notKnown("aside the limit wasn't reached");
  require(waitMs !== undefined && waitMs > 0 && waitMs <= 120_000, () =>
    `the refusal's Retry-After is ${hint}`);
  require(early?.status === 429, () => `Retry-After is ${hint}, but a second less was enough`);
  require(due?.status === 200, () => `Retry-After is ${hint}, but after it: ${due?.status}`);
  return `a Retry-After of ${hint}, aside`;
}

function* refusedChangesNothing(evidence: Evidence): Playing<string> {
  const { refused, again, auditBefore, auditAfter } = yield* floodOf(evidence);
  if (refused.status !== 429) notKnown("aside the limit wasn't reached");
  const [one, other] = [refused, again].map(
    ({ status, headers, text }) =>
      `${status} ${headers["x-ratelimit-remaining"]} ${headers["retry-after"]} ${text}`,
  );
  require(one === other, () => `refused twice at one instant, with ${one} and ${other}`);
  require(auditBefore === auditAfter, () => "a refused request shows in the audit");
  return "a key's quota used up, and a request more, aside";
}

function* remainingOnAll({ trace }: Evidence): Playing<string> {
  const { withoutRemaining, kept, scriptedFrom, total } = trace;
  require(withoutRemaining.count === 0, () =>
    `${withoutRemaining.count} responses without it, the first: ${withoutRemaining.first}`);
  let responses = 0;
  for (const [at, { status, remaining, method, path }] of kept.entries()) {
    if (status === 0 || at >= scriptedFrom) continue;
    responses += 1;
    require(/^\d+$/.test(remaining ?? ""), () => `${method} ${path} got ${remaining}`);
  }
  if (responses === 0) notKnown(total === 0 ? "nothing was sent" : "no response is the service's");
  return `the responses to ${total} requests`;
}

function* apart(evidence: Evidence): Playing<string> {
  const { otherRemaining } = yield* floodOf(evidence);
  require(otherRemaining === String(REPORTING - 1), () =>
    `beside a key that used up its quota, another's first request left ${otherRemaining} of ${REPORTING}`);
  const aside = yield* asideOf(evidence);
  const left = yield* recordingQuotas(aside);
  require(left.first === left.second, () =>
    `an impression of one publisher left another ${left.second} of ${left.first}`);
  return "two keys and two publishers, aside";
}

/** What the first impression of each of two new quotas leaves; the one publisher records more before the other does. */
function* recordingQuotas(aside: Aside): Playing<{ first: string; second: string }> {
  // A quota that was used for other laws is back after two minutes, whatever the algorithm.
  yield* waitAside(aside, 2 * MINUTE_MS);
  const [lab, other] = aside.labs;
  const record = function* (member: typeof lab): Playing<string> {
    const { path } = operations.impression;
    const surface = member.surfaces[0]?.id ?? "none";
    const answer = yield* ask(aside, member, "impression", { surface, ad_id: "law L8" });
    return (
      answer.headers["x-ratelimit-remaining"] ??
      notKnown(`${path} was answered with ${answer.status}`)
    );
  };
  const first = yield* record(lab);
  yield* record(lab);
  return { first, second: yield* record(other) };
}
