/** The state of a scenario's run: everything known so far, the observers of each exchange, and a digest of what the client saw. */

import { createDigest } from "../../base/digest.ts";
import type { FaultRule } from "../../faults/rule.ts";
import { type ClientExchange, type Member, Trace } from "../../invariants/client-exchange.ts";
import { inconclusive } from "../../invariants/ensure.ts";
import { resolveOptions } from "../../simulator/simulator-options.ts";
import type { Encoding } from "../../spec/build-request.ts";
import { createLatencies, createTally } from "../measure/tally.ts";
import { createTimeline } from "../measure/timeline.ts";
import type { PublisherRef, Scenario } from "../scenario/types.ts";
import type { Target } from "../targets/target.ts";
import type { Turns } from "../targets/turns.ts";
import type { TrafficOrder } from "../traffic/source.ts";
import type { StepResult } from "./result.ts";
import type { StepOutput } from "./values.ts";

/** What all requests of a run have in common. */
export interface Sending {
  /** A part of every session id. @default session ids are sent as the scenario has them */
  readonly runId?: string | undefined;
  /** How a POST is sent if its step doesn't say. @default "json" */
  readonly encoding?: Encoding | undefined;
}

export type Run = ReturnType<typeof createRun>;

export function createRun(scenario: Scenario, target: Target, turns: Turns, sending: Sending) {
  const startMs = target.now();
  const { seed, publishers } = scenario;
  const { settings } = resolveOptions({ seed, publishers });
  return {
    ...{ scenario, target, turns, sending, startMs },
    seed: settings.seed,
    /** When the current step began. */
    nowMs: startMs,
    outputs: new Map<string, StepOutput>(),
    /** The publishers, with sign-ups, in their current state, by ordinal. */
    members: new Map<number, Member>(),
    /** The ordinal of the next publisher that signs up: it follows the seeded ones. */
    nextOrdinal: settings.publishers,
    results: new Map<string, StepResult>(),
    /** What the target couldn't do, in order. Later failures may be due to the first of them. */
    skipped: [] as { readonly path: string; readonly why: string }[],
    /** So many more failed steps show the journal. A play may have 100,000 of them, and no report could hold all. */
    journalsLeft: 20,
    /** The tally of the innermost step with a tally of its own, or of the whole run. */
    tally: createTally(),
    latencies: createLatencies(),
    timeline: createTimeline(startMs),
    trace: new Trace(),
    digest: createRunDigest(),
    /** Fault rules by their path in the scenario, the latest last. A rule that is installed in each round counts once. */
    rules: new Map<string, { readonly id: string; hasFired: boolean }>(),
    /** The last single request. */
    last: undefined as ClientExchange | undefined,
    trafficStepsPlayed: 0,
    /** Round number of the innermost repeat or parallel, from 1. It is 1 outside of both. */
    round: 1,
  };
}

/** Notes that a rule was installed under this id. `path`: its place in the scenario. */
export function recordRule(run: Run, rule: FaultRule, id: string, path: string): void {
  // A rule with a ttl isn't judged: it may be gone before its counts are read.
  const hasFired = rule.ttl !== undefined || run.rules.get(path)?.hasFired === true;
  run.rules.delete(path);
  run.rules.set(path, { id, hasFired });
  run.trace.recordRule(rule);
}

/** Notes which of the installed rules have fired. */
export async function noteFiredRules({ target, rules }: Run): Promise<void> {
  for (const { id, fired } of (await target.control?.rules()) ?? []) {
    const seen = Array.from(rules.values()).findLast((one) => one.id === id);
    if (seen !== undefined && fired > 0) seen.hasFired = true;
  }
}

/** Adds an exchange to the current tally and all other records. Traffic calls the observer millions of times. */
export function createObserver({
  tally,
  timeline,
  latencies,
  trace,
}: Run): TrafficOrder["observe"] {
  return (exchange) => {
    tally.count(exchange);
    timeline.count(exchange);
    latencies.record(exchange.latencyMs);
    trace.observe(exchange);
  };
}

/** Observes a single request, which later steps may refer to. */
export function observeSingle(run: Run, exchange: ClientExchange): void {
  createObserver(run)(exchange);
  run.digest.exchange(exchange);
  run.last = exchange;
}

/** Looks up publishers by their ordinals, and keeps those that exist. */
export async function loadMembers(run: Run, ordinals: Iterable<number>): Promise<void> {
  for (const ordinal of Array.from(ordinals)) {
    const member = await run.target.member(ordinal);
    if (member !== undefined) setMember(run, ordinal, member);
  }
}

export function setMember({ members, trace }: Run, ordinal: number, member: Member): void {
  members.set(ordinal, member);
  trace.recordMember(member);
}

/** The publisher that a step names. @throws Inconclusive if there is none. */
export function publisherOf(run: Run, publisherRef: PublisherRef = 0): Member {
  const member = run.members.get(ordinalOf(run, publisherRef));
  return member ?? inconclusive(`there is no publisher ${publisherRef}`);
}

/** @throws Inconclusive if nobody has signed up by this name. */
export function ordinalOf({ outputs }: Run, publisherRef: PublisherRef = 0): number {
  if (typeof publisherRef === "number") return publisherRef;
  const output = outputs.get(publisherRef);
  if (output?.kind === "publisher") return output.ordinal;
  return inconclusive(`there is no publisher ${publisherRef}`);
}

/** Headers that describe the connection or the current time, and those that adsim adds under `explain`. */
const ofTransport = /^(?:connection|content-length|date|keep-alive|transfer-encoding|x-adsim-.*)$/;

const outcomes = { answered: 1, cut: 2, lost: 3, "timed-out": 4 } as const;

function createRunDigest() {
  const { text, number, value } = createDigest();
  return {
    text,
    value,
    /** Adds a whole exchange. */
    exchange({ outcome, status, headers, text: body }: ClientExchange): void {
      number(outcomes[outcome] * 1000 + status);
      for (const name of Object.keys(headers).sort()) {
        if (!ofTransport.test(name)) text(`${name}: ${headers[name]}`);
      }
      text(body);
    },
    /** Adds only outcome, status, remaining quota and body length. For traffic, which has millions of exchanges. */
    brief({ outcome, status, headers, text: body }: ClientExchange): void {
      number(outcomes[outcome] * 1000 + status);
      number(Number(headers["x-ratelimit-remaining"] ?? -1));
      number(body.length);
    },
  };
}
