/** A run of a scenario: what is known so far, and who is told of every exchange. */

import { creditedMicros } from "../credited.ts";
import type { Trace } from "../invariants/trace.ts";
import { createLatencies, type Latencies } from "../measure/latencies.ts";
import { createTimeline, type Timeline } from "../measure/timeline.ts";
import type { Cast, Scenario } from "../scenario.ts";
import { createTally, type Tally } from "../tally.ts";
import { createRunDigest, type RunDigest } from "./digest.ts";
import { type Abilities, type Exchange, type Member, type Playing, perform } from "./effects.ts";
import type { Named } from "./names.ts";
import type { StepResult } from "./result.ts";
import type { Scope } from "./values.ts";

export interface Run {
  readonly scenario: Scenario;
  readonly abilities: Abilities;
  readonly startMs: number;
  /** When the step began that is being played. */
  nowMs: number;
  readonly names: Map<string, Named>;
  /** By ordinal, as they are now. */
  readonly members: Map<number, Member>;
  readonly results: Map<string, StepResult>;
  /** Paths of steps found to be broken since the journal was last looked at. */
  readonly newlyBroken: string[];
  /** Of the innermost step that counts for itself, or of the whole run. */
  tally: Tally;
  readonly latencies: Latencies;
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly digest: RunDigest;
  /** How often each fault rule fired, by id, when last looked at. */
  readonly fired: Map<string, number>;
  /** The last single request. */
  last: Exchange | undefined;
  /** How many traffic steps were played. */
  traffics: number;
  /** Rounds of the repeats that are being played, the innermost last. */
  readonly rounds: number[];
}

export function createRun(
  scenario: Scenario,
  abilities: Abilities,
  startMs: number,
  trace: Trace,
): Run {
  return {
    scenario,
    abilities,
    startMs,
    nowMs: startMs,
    names: new Map(),
    members: new Map(),
    results: new Map(),
    newlyBroken: [],
    tally: createTally(),
    latencies: createLatencies(),
    timeline: createTimeline(startMs),
    trace,
    digest: createRunDigest(),
    fired: new Map(),
    last: undefined,
    traffics: 0,
    rounds: [],
  };
}

/** Counts an exchange wherever it counts. Called millions of times. */
export function observe(run: Run, exchange: Exchange): void {
  const credited = exchange.outcome === "answered" ? creditedMicros(exchange.text) : 0;
  run.tally.count(exchange, credited);
  run.timeline.count(exchange);
  run.latencies.record(exchange.latencyMs);
  run.trace.observe(exchange);
}

/** A single request's: later steps may look at it. */
export function observeSingle(run: Run, exchange: Exchange): void {
  observe(run, exchange);
  run.digest.exchange(exchange);
  run.last = exchange;
}

export function scopeOf(run: Run): Scope {
  return {
    named: (name) => run.names.get(name),
    member: (ordinal) => memberAt(run, ordinal),
    round: run.rounds.at(-1) ?? 1,
  };
}

function* memberAt(run: Run, ordinal: number): Playing<Member | undefined> {
  const known = run.members.get(ordinal);
  if (known !== undefined) return known;
  const member = yield* perform({ kind: "member", ordinal });
  if (member !== undefined) {
    run.members.set(ordinal, member);
    run.trace.member(member);
  }
  return member;
}

/** The publisher that a step names. Undefined where there is none. */
export function* castOf(run: Run, cast: Cast = 0): Playing<Member | undefined> {
  if (typeof cast === "number") return yield* memberAt(run, cast);
  const named = run.names.get(cast);
  return named?.kind === "publisher" ? named.member : undefined;
}

/** Everything of that publisher is from now on as `member` says. */
export function renew(run: Run, member: Member): void {
  for (const [ordinal, { id }] of run.members)
    if (id === member.id) run.members.set(ordinal, member);
  for (const [name, named] of run.names) {
    if (named.kind === "publisher" && named.member.id === member.id) {
      run.names.set(name, { kind: "publisher", member });
    }
  }
  run.trace.member(member);
}
