/** The state of a scenario's run: everything known so far, and the observers of each exchange. */

import type { FaultRule } from "../../../faults/rule.ts";
import type { ClientExchange, Member } from "../../../invariants/client-exchange.ts";
import { inconclusive } from "../../../invariants/ensure.ts";
import { createTrace, type Trace } from "../../../invariants/trace.ts";
import { resolveOptions } from "../../../simulator/simulator-options.ts";
import type { WorldSettings } from "../../../world/publishers/world-settings.ts";
import { creditedMicros } from "../../measure/credited.ts";
import { createLatencies, type Latencies } from "../../measure/latencies.ts";
import { createTally, type Tally } from "../../measure/tally.ts";
import { createTimeline, type Timeline } from "../../measure/timeline.ts";
import type { PublisherRef, Scenario } from "../../scenario/types.ts";
import type { Observer } from "../../traffic/order.ts";
import { createRunDigest, type RunDigest } from "./digest.ts";
import { type Capabilities, type EffectGenerator, perform } from "./effects.ts";
import type { Sending } from "./outgoing-of.ts";
import type { StepResult } from "./result.ts";
import type { StepOutput } from "./step-output.ts";
import { ordinalsIn, type Scope } from "./values.ts";

/** Why a step is skipped on a target without a control API. */
export const NEEDS_CONTROL = "only an adsim that accepts control requests can do that";
/** What is known about a fault rule. */
interface SeenRule {
  readonly id: string;
  /** Whether it has a ttl. If it expires during traffic, the player can't tell whether it fired. */
  readonly isTemporary: boolean;
  hasFired: boolean;
}

export interface Run {
  readonly scenario: Scenario;
  /** Those of the scenario's world that it may leave out. */
  readonly settings: Pick<WorldSettings, "seed" | "publishers">;
  readonly capabilities: Capabilities;
  readonly sending: Sending;
  readonly startMs: number;
  /** When the current step began. */
  nowMs: number;
  readonly stepOutputs: Map<string, StepOutput>;
  /** The publishers, with sign-ups, in their current state, by ordinal. */
  readonly members: Map<number, Member>;
  signUps: number;
  readonly results: Map<string, StepResult>;
  /** What the target couldn't do, in order. Later failures may be due to the first of them. */
  readonly skipped: { readonly path: string; readonly why: string }[];
  /** Paths of broken steps that don't have their journal entries yet. */
  readonly newlyBroken: string[];
  /** How often journal entries were shown with a broken step. */
  journalsShown: number;
  /** The tally of the innermost step with a tally of its own, or of the whole run. */
  tally: Tally;
  readonly latencies: Latencies;
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly digest: RunDigest;
  /** Fault rules by their path in the scenario: a rule that is installed in each round counts once. */
  readonly rules: Map<string, SeenRule>;
  /** The latest rule with each id. */
  readonly ruleById: Map<string, SeenRule>;
  /** Whether a rule has a ttl. Once it expired, the target no longer tells whether it fired. */
  hasTemporaryRule: boolean;
  /** The last single request. */
  last: ClientExchange | undefined;
  /** Whether nothing has happened since the scratch copy was made. */
  hasFreshScratch: boolean;
  trafficStepsPlayed: number;
  /** Round numbers of the repeats being played, the innermost last. */
  readonly rounds: number[];
}

export function createRun(
  scenario: Scenario,
  capabilities: Capabilities,
  sending: Sending,
  startMs: number,
): Run {
  const { seed, publishers } = scenario;
  return {
    scenario,
    settings: resolveOptions({ seed, publishers }).settings,
    capabilities,
    sending,
    startMs,
    nowMs: startMs,
    stepOutputs: new Map(),
    members: new Map(),
    signUps: 0,
    results: new Map(),
    skipped: [],
    newlyBroken: [],
    journalsShown: 0,
    tally: createTally(),
    latencies: createLatencies(),
    timeline: createTimeline(startMs),
    trace: createTrace(),
    digest: createRunDigest(),
    rules: new Map(),
    ruleById: new Map(),
    hasTemporaryRule: false,
    last: undefined,
    hasFreshScratch: false,
    trafficStepsPlayed: 0,
    rounds: [],
  };
}

/** Notes that a rule was installed under this id. `path`: its place in the scenario. */
export function recordRule(run: Run, rule: FaultRule, id: string, path: string): void {
  const isTemporary = rule.ttl !== undefined;
  const seen = run.rules.get(path) ?? { id, isTemporary, hasFired: false };
  run.rules.set(path, seen);
  run.ruleById.set(id, seen);
  run.hasTemporaryRule ||= isTemporary;
  run.trace.recordRule(rule);
}

/** Adds an exchange to the current tally and all other records. Traffic calls the observer millions of times. */
export function createObserver({ tally, timeline, latencies, trace }: Run): Observer {
  // Read once, because method look-up is slow in an object with getters.
  const { observe } = trace;
  return (exchange) => {
    const credited = creditedMicros(exchange.text);
    tally.count(exchange, credited);
    timeline.count(exchange, credited);
    latencies.record(exchange.latencyMs);
    observe(exchange);
  };
}

/** Observes a single request, which later steps may refer to. */
export function observeSingle(run: Run, exchange: ClientExchange): void {
  createObserver(run)(exchange);
  run.digest.exchange(exchange);
  run.last = exchange;
}

/** The scope for resolving the references in `data`. Loads the publishers that they name. */
export function* scopeFor(run: Run, data: unknown): EffectGenerator<Scope> {
  for (const ordinal of ordinalsIn(data)) yield* memberAt(run, ordinal);
  return {
    stepOutput: (name) => run.stepOutputs.get(name),
    member: (ordinal) => run.members.get(ordinal),
    round: run.rounds.at(-1) ?? 1,
    nowMs: run.nowMs,
  };
}

function* memberAt(run: Run, ordinal: number): EffectGenerator<Member | undefined> {
  const known = run.members.get(ordinal);
  if (known !== undefined) return known;
  const member = yield* perform({ kind: "member", ordinal });
  if (member !== undefined) {
    run.members.set(ordinal, member);
    run.trace.recordMember(member);
  }
  return member;
}

/** The publisher that a step names; undefined if there is none. */
export function* publisherOf(
  run: Run,
  publisherRef: PublisherRef = 0,
): EffectGenerator<Member | undefined> {
  if (typeof publisherRef === "number") return yield* memberAt(run, publisherRef);
  const output = run.stepOutputs.get(publisherRef);
  return output?.kind === "publisher" ? output.member : undefined;
}

/** The publisher that sends a request. @throws Inconclusive if there is none. */
export function* senderOf(run: Run, publisherRef: PublisherRef = 0): EffectGenerator<Member> {
  return (
    (yield* publisherOf(run, publisherRef)) ?? inconclusive(`there is no publisher ${publisherRef}`)
  );
}

/** Adds a publisher that signed up. Its ordinal follows the seeded publishers. */
export function addSignedUp(run: Run, member: Member): void {
  run.members.set(run.settings.publishers + run.signUps, member);
  run.signUps += 1;
  run.trace.recordMember(member);
}

/** Replaces the record of the publisher that had the id `formerId`. */
export function updateMember(run: Run, member: Member, formerId: string = member.id): void {
  for (const [ordinal, { id }] of run.members) {
    if (id === formerId) run.members.set(ordinal, member);
  }
  for (const [name, output] of run.stepOutputs) {
    if (output.kind === "publisher" && output.member.id === formerId) {
      run.stepOutputs.set(name, { kind: "publisher", member });
    }
  }
  run.trace.recordMember(member);
}

/** Loads all members again, because assumptions can change their ids. */
export function* refreshMembers(run: Run): EffectGenerator<void> {
  for (const [ordinal, { id }] of Array.from(run.members)) {
    const member = yield* perform({ kind: "member", ordinal });
    if (member !== undefined) updateMember(run, member, id);
  }
}
