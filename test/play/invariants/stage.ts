/** Plays what invariants ask for over a simulator in this process, and lets a test bend what is seen on the way. */

import type { FaultRule } from "../../../src/faults/rule.ts";
import {
  type ApiRequest,
  type ApiResponse,
  createSimulator,
  type Simulator,
} from "../../../src/index.ts";
import type { Evidence } from "../../../src/play/invariants/evidence.ts";
import { checkInvariants } from "../../../src/play/invariants/invariants.ts";
import { createTrace, type Trace } from "../../../src/play/invariants/trace.ts";
import type {
  Abilities,
  Effect,
  Exchange,
  Member,
  Outgoing,
  Performers,
  Playing,
} from "../../../src/play/player/effects.ts";
import type { InvariantResult } from "../../../src/play/player/result.ts";
import type { Assumptions } from "../../../src/spec/assumptions/catalogue.ts";
import { operations } from "../../../src/spec/operations.ts";

/** What is bent: an answer on its way to the client, or what another effect gives. */
export interface Lie {
  /** `isAside`: in the world aside. `sim`: the world that answered. */
  answer?(exchange: Exchange, isAside: boolean, sim: Simulator): Exchange;
  effect?(kind: Effect["kind"], given: unknown, isAside: boolean): unknown;
}

/** A world, its trace, and a client that sends as the player does. */
export interface Stage {
  readonly sim: Simulator;
  readonly trace: Trace;
  readonly members: Member[];
  /** How many requests were sent aside. */
  asideSent: number;
  send(request: ApiRequest): Exchange;
  assume(readings: Partial<Assumptions>): void;
  check(ids?: readonly string[]): readonly InvariantResult[];
  evidence(): Evidence;
}

export interface StageOptions {
  readonly assumptions?: Partial<Assumptions>;
  readonly faults?: readonly FaultRule[];
  readonly lie?: Lie;
  readonly control?: boolean;
  readonly time?: Abilities["time"];
}

export function stageOf({
  assumptions = {},
  faults = [],
  lie = {},
  control = true,
  time = { kind: "virtual" },
}: StageOptions = {}): Stage {
  const sim = createSimulator({ assumptions, faults });
  const trace = createTrace();
  const members = sim.publishers.list({ limit: 3 });
  for (const member of members) trace.seeMember(member);
  for (const rule of faults) trace.seeRule(rule);
  const stage: Stage = {
    sim,
    trace,
    members,
    asideSent: 0,
    send(request) {
      const exchange = bent(
        lie,
        exchangeOf(sim, { operation: undefined, request, timeoutMs: 10_000 }),
        false,
        sim,
      );
      trace.observe(exchange);
      return exchange;
    },
    assume(readings) {
      sim.assume(readings);
      trace.seeAssumed();
      for (const [place, { ordinal }] of members.entries())
        members[place] = sim.publishers.at(ordinal);
      for (const member of members) trace.seeMember(member);
    },
    evidence: () => ({
      trace,
      abilities: { time, control },
      members: stage.members.map(({ id }) => sim.publishers.get(id)),
      assumptions: control ? sim.assumptions : undefined,
    }),
    check: (ids) => drive(stage, lie, checkInvariants(stage.evidence(), ids)),
  };
  return stage;
}

function bent({ answer }: Lie, exchange: Exchange, isAside: boolean, sim: Simulator): Exchange {
  return answer === undefined ? exchange : answer(exchange, isAside, sim);
}

/** What a client sees of a delivery. */
function exchangeOf(sim: Simulator, { operation, request, timeoutMs }: Outgoing): Exchange {
  const atMs = sim.clock.now();
  const response = sim.handle(request);
  const base = { operation: operation ?? operationAt(request), atMs, request, latencyMs: 0 };
  const outcome = outcomeOf(response, timeoutMs);
  const arrived = outcome === "answered" || outcome === "cut";
  return arrived
    ? { ...base, outcome, status: response.status, headers: response.headers, text: response.body }
    : { ...base, outcome, status: 0, headers: {}, text: "" };
}

function operationAt({ path }: ApiRequest): Outgoing["operation"] {
  return Object.values(operations).find((one) => one.path === path)?.id;
}

function outcomeOf({ delivery }: ApiResponse, timeoutMs: number): Exchange["outcome"] {
  if (delivery === undefined) return "answered";
  if (delivery.kind === "silence" || delivery.delayMs > timeoutMs) {
    delivery.undelivered();
    return "timed-out";
  }
  if (delivery.kind === "cut") return "cut";
  return ["close", "reset", "noise"].includes(delivery.kind) ? "lost" : "answered";
}

type Plain = Omit<Performers, "aside" | "fork" | "traffic">;

function performersOf(stage: Stage, sim: Simulator, lie: Lie, isAside: boolean): Plain {
  const send = (outgoing: Outgoing): Exchange => {
    if (isAside) stage.asideSent += 1;
    return bent(lie, exchangeOf(sim, outgoing), isAside, sim);
  };
  return {
    now: () => sim.clock.now(),
    pass: () => undefined,
    member: ({ ordinal }) =>
      sim.publishers.list({ limit: 100 }).find((one) => one.ordinal === ordinal),
    publisher: ({ id }) => sim.publishers.get(id),
    send: ({ outgoing }) => send(outgoing),
    together: ({ outgoing }) => outgoing.map(send),
    wait: ({ ms }) => {
      sim.clock.advance(ms);
      return undefined;
    },
    assume: ({ readings }) => {
      sim.assume(readings);
      return undefined;
    },
    assumptions: () => sim.assumptions,
    fault: ({ rule }) => sim.faults.add(rule).rule.id,
    rules: () => sim.faults.list(),
    heal: ({ ids }) => {
      if (ids === undefined) sim.faults.clear();
      else for (const id of ids) sim.faults.remove(id);
      return undefined;
    },
    signUp: ({ request }) => sim.publishers.signUp(request),
    setSurface: ({ publisher, surface, change }) => {
      sim.publishers.setSurface(publisher, surface, change);
      return undefined;
    },
    rotateKey: ({ publisher }) => sim.publishers.rotateKey(publisher),
    audit: () => sim.audit(),
    journal: ({ limit }) => sim.journal.entries({ limit }),
  };
}

function drive<Result>(stage: Stage, lie: Lie, playing: Playing<Result>): Result {
  const played = performersOf(stage, stage.sim, lie, false);
  let aside: Plain | undefined;
  const told = (effect: Effect, isAside: boolean): unknown => {
    const performers = isAside ? aside : played;
    const perform = performers?.[effect.kind as keyof Plain] as
      | ((effect: Effect) => unknown)
      | undefined;
    if (perform === undefined) throw new Error(`Nothing does ${effect.kind}.`);
    const given = perform(effect);
    return lie.effect === undefined ? given : lie.effect(effect.kind, given, isAside);
  };
  let step = playing.next();
  while (step.done !== true) {
    const effect = step.value;
    let given: unknown;
    if (effect.kind === "fork") aside = performersOf(stage, stage.sim.fork(), lie, true);
    else if (effect.kind === "aside") given = told(effect.effect, true);
    else given = told(effect, false);
    step = playing.next(given);
  }
  return step.value;
}
