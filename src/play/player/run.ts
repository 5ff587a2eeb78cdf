/** A run of a scenario: what is known so far, and who is told of every exchange. */

import type { FaultRule } from "../../faults/rule.ts";
import type { ClientExchange, Member } from "../../laws/client-exchange.ts";
import { inconclusive } from "../../laws/law.ts";
import { createTrace, type Trace } from "../../laws/trace.ts";
import type { PublisherRef, Scenario } from "../language/scenario.ts";
import { creditedMicros } from "../measure/credited.ts";
import { createLatencies, type Latencies } from "../measure/latencies.ts";
import { createTally, type Tally } from "../measure/tally.ts";
import { createTimeline, type Timeline } from "../measure/timeline.ts";
import type { Observer } from "../traffic/order.ts";
import { createRunDigest, type RunDigest } from "./digest.ts";
import { type Capabilities, type EffectGenerator, perform } from "./effects.ts";
import type { StepResult } from "./result.ts";
import type { StepOutput } from "./step-output.ts";
import { ordinalsIn, type Scope } from "./values.ts";

/** Why a target that isn't controlled doesn't do something. */
export const NEEDS_CONTROL = "only an adsim that may be controlled can do that";
/** How many publishers there are unless a scenario says otherwise. */
const SEEDED = 25;

/** What is known of a fault rule. */
interface SeenRule {
  readonly id: string;
  /** Whether it goes by itself: in the midst of traffic nobody looks before. */
  readonly isTemporary: boolean;
  hasFired: boolean;
}

export interface Run {
  readonly scenario: Scenario;
  readonly capabilities: Capabilities;
  readonly startMs: number;
  /** When the step began that is being played. */
  nowMs: number;
  readonly names: Map<string, StepOutput>;
  /** By ordinal, as they are now, sign-ups among them. */
  readonly members: Map<number, Member>;
  /** How many publishers signed up. */
  signUps: number;
  readonly results: Map<string, StepResult>;
  /** What the target couldn't do, the first first. What comes after it isn't what the scenario is about. */
  readonly skipped: { readonly path: string; readonly why: string }[];
  /** Paths of steps found to be broken since the journal was last looked at. */
  readonly newlyBroken: string[];
  /** Of the innermost step that counts for itself, or of the whole run. */
  tally: Tally;
  readonly latencies: Latencies;
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly digest: RunDigest;
  /** Fault rules by where the scenario has them: one that is installed in each round is one. */
  readonly rules: Map<string, SeenRule>;
  /** The latest with each id. */
  readonly ruleById: Map<string, SeenRule>;
  /** Whether a rule goes by itself: afterwards nobody tells whether it fired. */
  hasTemporaryRule: boolean;
  /** The last single request. */
  last: ClientExchange | undefined;
  /** Whether nothing has happened since the world aside was made. */
  hasFreshScratch: boolean;
  /** How many traffic steps were played. */
  trafficStepsPlayed: number;
  /** Rounds of the repeats that are being played, the innermost last. */
  readonly rounds: number[];
}

export function createRun(scenario: Scenario, capabilities: Capabilities, startMs: number): Run {
  return {
    scenario,
    capabilities,
    startMs,
    nowMs: startMs,
    names: new Map(),
    members: new Map(),
    signUps: 0,
    results: new Map(),
    skipped: [],
    newlyBroken: [],
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

/** Notes that a rule was installed under this id. `path`: where the scenario has it. */
export function recordRule(run: Run, rule: FaultRule, id: string, path: string): void {
  const isTemporary = rule.ttl !== undefined;
  const seen = run.rules.get(path) ?? { id, isTemporary, hasFired: false };
  run.rules.set(path, seen);
  run.ruleById.set(id, seen);
  run.hasTemporaryRule ||= isTemporary;
  run.trace.recordRule(rule);
}

/** Counts an exchange wherever the run counts now: a step of its own counts apart. Traffic calls it millions of times. */
export function createObserver({ tally, timeline, latencies, trace }: Run): Observer {
  // Taken out once: an engine looks a method up slowly in an object that has getters.
  const { observe } = trace;
  return (exchange) => {
    const credited = creditedMicros(exchange.text);
    tally.count(exchange, credited);
    timeline.count(exchange, credited);
    latencies.record(exchange.latencyMs);
    observe(exchange);
  };
}

/** A single request's: later steps may look at it. */
export function observeSingle(run: Run, exchange: ClientExchange): void {
  createObserver(run)(exchange);
  run.digest.exchange(exchange);
  run.last = exchange;
}

/** What references in `data` are looked up in. The publishers among them are looked up here. */
export function* scopeFor(run: Run, data: unknown): EffectGenerator<Scope> {
  for (const ordinal of ordinalsIn(data)) yield* memberAt(run, ordinal);
  return {
    named: (name) => run.names.get(name),
    member: (ordinal) => run.members.get(ordinal),
    round: run.rounds.at(-1) ?? 1,
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

/** The publisher that a step names. Undefined where there is none. */
export function* publisherOf(
  run: Run,
  publisherRef: PublisherRef = 0,
): EffectGenerator<Member | undefined> {
  if (typeof publisherRef === "number") return yield* memberAt(run, publisherRef);
  const named = run.names.get(publisherRef);
  return named?.kind === "publisher" ? named.member : undefined;
}

/** The same, of a request. @throws Inconclusive where there is none. */
export function* senderOf(run: Run, publisherRef: PublisherRef = 0): EffectGenerator<Member> {
  return (
    (yield* publisherOf(run, publisherRef)) ?? inconclusive(`there is no publisher ${publisherRef}`)
  );
}

/** Takes a publisher that has signed up among the members. Sign-ups follow the seeded publishers. */
export function addSignedUp(run: Run, member: Member): void {
  run.members.set((run.scenario.publishers ?? SEEDED) + run.signUps, member);
  run.signUps += 1;
  run.trace.recordMember(member);
}

/** A publisher is from now on as `member` says: the one that had the id `formerId`. */
export function updateMember(run: Run, member: Member, formerId: string = member.id): void {
  for (const [ordinal, { id }] of run.members) {
    if (id === formerId) run.members.set(ordinal, member);
  }
  for (const [name, named] of run.names) {
    if (named.kind === "publisher" && named.member.id === formerId) {
      run.names.set(name, { kind: "publisher", member });
    }
  }
  run.trace.recordMember(member);
}

/** Looks everybody up again: under other readings they have other ids. */
export function* refreshMembers(run: Run): EffectGenerator<void> {
  for (const [ordinal, { id }] of Array.from(run.members)) {
    const member = yield* perform({ kind: "member", ordinal });
    if (member !== undefined) updateMember(run, member, id);
  }
}
