/** A world, its trace and a client that sends as the player does. A lie may change what the world answers. */

import type { FaultRule } from "../../src/faults/rule.ts";
import {
  type ApiRequest,
  type ApiResponse,
  createSimulator,
  type Simulator,
} from "../../src/index.ts";
import {
  type ClientExchange,
  exchangeOf,
  type Member,
} from "../../src/invariants/client-exchange.ts";
import { type InvariantResult, judgeInvariants } from "../../src/invariants/judge.ts";
import type { Played } from "../../src/invariants/log.ts";
import { createTrace, type Trace } from "../../src/invariants/trace.ts";
import type { SimulatorCore } from "../../src/simulator/core.ts";
import type { Assumptions } from "../../src/spec/assumptions/catalogue.ts";
import { operations } from "../../src/spec/operations.ts";

type Audit = ReturnType<SimulatorCore["audit"]>;

/** What is changed: an answer on its way to the client, or an audit. */
export interface Lie {
  /** `isAside`: in a copy of the world. `sim`: the world that answered. */
  answer?(exchange: ClientExchange, isAside: boolean, sim: SimulatorCore): ClientExchange;
  audit?(audit: Audit, isAside: boolean): Audit;
}

export interface Stage {
  readonly sim: Simulator;
  readonly trace: Trace;
  readonly members: Member[];
  /** The number of requests that were sent to copies. */
  asideSent: number;
  send(request: ApiRequest): ClientExchange;
  assume(choices: Partial<Assumptions>): void;
  check(ids?: readonly string[]): readonly InvariantResult[];
}

export interface StageOptions {
  readonly assumptions?: Partial<Assumptions>;
  readonly faults?: readonly FaultRule[];
  readonly lie?: Lie;
  readonly control?: boolean;
  readonly isExactTime?: boolean;
}

const TIMEOUT_MS = 10_000;

export function stageOf(options: StageOptions = {}): Stage {
  const { assumptions = {}, faults = [], lie = {} } = options;
  const sim = createSimulator({ assumptions, faults });
  const trace = createTrace();
  const members = sim.publishers.list({ limit: 3 });
  for (const member of members) trace.recordMember(member);
  for (const rule of faults) trace.recordRule(rule);
  const stage: Stage = {
    sim,
    trace,
    members,
    asideSent: 0,
    send(request) {
      const exchange = sent(sim, request, lie, false);
      trace.observe(exchange);
      return exchange;
    },
    assume(choices) {
      sim.assume(choices);
      trace.recordAssume();
      for (const [place, { ordinal }] of members.entries())
        members[place] = sim.publishers.at(ordinal);
      for (const member of members) trace.recordMember(member);
    },
    check: (ids) => [...judgeInvariants(playedOn(stage, options), ids)],
  };
  return stage;
}

function playedOn(
  stage: Stage,
  { lie = {}, control = true, isExactTime = true }: StageOptions,
): Played {
  const { sim, trace } = stage;
  return {
    trace,
    members: stage.members.map(({ id }) => sim.publishers.get(id)),
    isExactTime,
    assumptions: control ? sim.assumptions : undefined,
    world: control
      ? lying(stage, sim, lie, false)
      : "the target can't make a copy of the world to try it in",
  };
}

function sent(sim: SimulatorCore, request: ApiRequest, lie: Lie, isAside: boolean): ClientExchange {
  return bent(sim.handle(request), sim, request, lie, isAside);
}

function bent(
  response: ApiResponse,
  sim: SimulatorCore,
  request: ApiRequest,
  { answer }: Lie,
  isAside: boolean,
): ClientExchange {
  const operation = Object.values(operations).find(({ path }) => path === request.path)?.id;
  const outgoing = { operation, request, timeoutMs: TIMEOUT_MS };
  const exchange = exchangeOf(outgoing, response, sim.clock.now());
  return answer === undefined ? exchange : answer(exchange, isAside, sim);
}

/** The world and its forks, with changed answers and audits. */
function lying(stage: Stage, sim: SimulatorCore, lie: Lie, isAside: boolean): SimulatorCore {
  const own: Partial<SimulatorCore> = {
    handle(request) {
      if (isAside) stage.asideSent += 1;
      const response = sim.handle(request);
      if (lie.answer === undefined) return response;
      const { status, headers, text, outcome } = bent(response, sim, request, lie, isAside);
      return outcome === "answered" ? { ...response, status, headers, body: text } : response;
    },
    audit: () => (lie.audit === undefined ? sim.audit() : lie.audit(sim.audit(), isAside)),
    fork: () => lying(stage, sim.fork(), lie, true),
  };
  return new Proxy(sim, {
    get: (target, name) => Reflect.get(name in own ? own : target, name),
  });
}
