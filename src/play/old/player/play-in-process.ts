/** Plays a scenario in this process: nothing waits, and the clock follows the scenario. */

import { didYouMean } from "../../../base/did-you-mean.ts";
import { InputError } from "../../../base/input.ts";
import { runToEnd, type Stepwise } from "../../../base/stepwise.ts";
import {
  type ClientExchange,
  exchangeOf,
  type Member,
  type Outgoing,
} from "../../../invariants/client-exchange.ts";
import type { HostedCore, SimulatorCore } from "../../../simulator/core.ts";
import { createSimulatorCore } from "../../../simulator/core.ts";
import type { SimulatorOptions } from "../../../simulator/simulator-options.ts";
import type { ApiRequest, ApiResponse } from "../../../spec/messages.ts";
import type { Publisher } from "../../../world/accounts/account.ts";
import { fakerHost } from "../../../world/publishers/people.ts";
import { countRequests } from "../../scenario/count-requests.ts";
import { type ParseScenarioOptions, parseScenario } from "../../scenario/parse-scenario.ts";
import type { Scenario } from "../../scenario/types.ts";
import type { Effect, EffectGenerator, Performers } from "./effects.ts";
import { type PlayOptions, play } from "./play.ts";
import type { PlayResult } from "./result.ts";
import { runTraffic } from "./run-traffic.ts";

export interface InProcessOptions extends ParseScenarioOptions {
  /** The simulator to play on. The scenario's world replaces its state. @default a new one */
  readonly simulator?: SimulatorCore | undefined;
  /** @default "npx adsim play" and the scenario's name */
  readonly reproduce?: string | undefined;
  readonly onStep?: PlayOptions["onStep"];
}

/** A scenario with more requests is played without a journal: nobody could read it. */
const MAX_JOURNALLED = 1_000_000;

/**
 * Plays a scenario in process and in virtual time. The same scenario gives the same result, byte for byte.
 *
 * @throws InputError that names the step and field that make the scenario unplayable.
 */
export function playInProcess(input: unknown, options: InProcessOptions = {}): PlayResult {
  const scenario = parseScenario(input, options);
  const { simulator = simulatorFor(scenario) } = options;
  if (options.simulator !== undefined) simulator.restore(freshSnapshot(scenario));
  return driveAtOnce(playingOf(scenario, options), performersOn(simulator));
}

export type StepwiseOptions = InProcessOptions & { readonly simulator: HostedCore };

/** The same stepwise, so that others can run in between. @throws InputError before the simulator is touched. */
export function* playStepwise(input: unknown, options: StepwiseOptions): Stepwise<PlayResult> {
  const { simulator } = options;
  const scenario = parseScenario(input, options);
  simulator.restore(freshSnapshot(scenario), "play");
  return yield* driveStepwise(playingOf(scenario, options), performersOn(simulator));
}

function playingOf(scenario: Scenario, options: InProcessOptions): EffectGenerator<PlayResult> {
  return play(scenario, {
    capabilities: { time: { kind: "virtual" }, control: true },
    target: { kind: "in-process", url: undefined },
    reproduce: options.reproduce ?? `npx adsim play ${scenario.name}`,
    onStep: options.onStep,
  });
}

/** The options of the world that a scenario is played in. */
export function worldOf(scenario: Scenario): SimulatorOptions {
  const { seed, start, publishers, profile, assumptions, faults } = scenario;
  return { seed, start, publishers, profile, assumptions, faults, clock: "frozen" };
}

/** That world. It has no journal if the scenario is large: journalling doubles the time of a request. */
export function simulatorFor(scenario: Scenario): SimulatorCore {
  const journalEntries = countRequests(scenario) > MAX_JOURNALLED ? 0 : undefined;
  return createSimulatorCore({ ...worldOf(scenario), journalEntries }, fakerHost);
}

/** The simulator itself, in which `answer` answers each request. It can ask the simulator as it was. */
export function withHandle(
  sim: SimulatorCore,
  answer: (handle: SimulatorCore["handle"], request: ApiRequest) => ApiResponse,
): SimulatorCore {
  const { handle } = sim;
  return Object.assign(sim, { handle: (request: ApiRequest) => answer(handle, request) });
}

/** The initial state of that world. */
export function freshSnapshot(scenario: Scenario): ReturnType<SimulatorCore["snapshot"]> {
  return simulatorFor(scenario).snapshot();
}

/** Plays to the end, performing each effect synchronously. */
export function driveAtOnce<Result>(
  playing: EffectGenerator<Result>,
  performers: Performers,
): Result {
  return runToEnd(driveStepwise(playing, performers));
}

function* driveStepwise<Result>(
  playing: EffectGenerator<Result>,
  performers: Performers,
): Stepwise<Result> {
  let next = playing.next();
  while (!next.done) {
    yield;
    let output: unknown;
    try {
      output = yield* performStepwise(next.value, performers);
    } catch (error) {
      next = playing.throw(error);
      continue;
    }
    next = playing.next(output);
  }
  return next.value;
}

function* performStepwise(effect: Effect, performers: Performers): Stepwise<unknown> {
  if (effect.kind === "traffic") return yield* performers.traffic(effect);
  if (effect.kind === "together") return yield* performers.together(effect);
  // The cast is safe: the performer was looked up by the effect's kind.
  const perform = performers[effect.kind] as (effect: Effect) => unknown;
  return perform(effect);
}

/** Performs every effect in a simulator. */
export function performersOn(sim: SimulatorCore): Performers {
  let scratch: Performers | undefined;

  function send(outgoing: Outgoing): ClientExchange {
    return exchangeOf(outgoing, sim.handle(outgoing.request), sim.clock.now());
  }
  function heal(id: string): void {
    if (sim.faults.remove(id)) return;
    const hint = didYouMean(
      id,
      sim.faults.list().map((rule) => rule.id),
    );
    throw new InputError(id, `is not the id of an existing fault rule.${hint}`, "not-found");
  }
  return {
    now: () => sim.clock.now(),
    pass: () => undefined,
    member({ ordinal }) {
      return ordinal < sim.publishers.total ? memberOf(sim.publishers.at(ordinal)) : undefined;
    },
    publisher: ({ id }) => unlessMissing(() => memberOf(sim.publishers.get(id))),
    send: ({ outgoing }) => send(outgoing),
    *together({ outgoing }) {
      const exchanges: ClientExchange[] = [];
      for (const one of outgoing) {
        exchanges.push(send(one));
        yield;
      }
      return exchanges;
    },
    wait({ ms }) {
      sim.clock.advance(ms);
      return undefined;
    },
    traffic: ({ order }) => runTraffic(sim, order),
    assume({ choices }) {
      sim.assume(choices);
      return undefined;
    },
    assumptions: () => sim.assumptions,
    fault: ({ rule }) => sim.faults.add(rule).rule.id,
    rules: () => sim.faults.list(),
    heal({ ids }) {
      if (ids === undefined) sim.faults.clear();
      else for (const id of ids) heal(id);
      return undefined;
    },
    signUp: ({ request }) => memberOf(sim.publishers.signUp(request)),
    setSurface({ publisher, surface, change }) {
      sim.publishers.setSurface(publisher, surface, change);
      return undefined;
    },
    rotateKey: ({ publisher }) => memberOf(sim.publishers.rotateKey(publisher)),
    audit: () => sim.audit(),
    journal: ({ limit }) => sim.journal.entries({ limit }),
    world: () => sim,
    fork() {
      scratch = performersOn(sim.fork());
      return undefined;
    },
    scratch({ effect }) {
      if (scratch === undefined) throw new Error("There is no copy of the world yet.");
      return runToEnd(performStepwise(effect, scratch));
    },
  };
}

function unlessMissing<Result>(find: () => Result): Result | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

export function memberOf({ id, apiKey, surfaces, joined }: Publisher): Member {
  return { id, apiKey, surfaces, joined };
}
