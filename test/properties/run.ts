/**
 * What was done to a simulator, step by step, and how to do it again. Steps are resolved: no step depends on an answer
 * that isn't written in it, so a run can be replayed whole, in part, and in another order.
 */

import {
  type ApiRequest,
  type ApiResponse,
  type Assumptions,
  createSimulator,
  type Publisher,
  type Simulator,
  type SimulatorOptions,
  type Snapshot,
} from "../../src/index.ts";
import { repeatChange } from "../../src/simulator/replay.ts";
import type { PublisherChange } from "../../src/world/accounts/publisher-directory.ts";

/** One thing done to a simulator. It has no time of its own: `advance` moves the clock. */
export type Action =
  | { readonly kind: "request"; readonly request: ApiRequest }
  | PublisherChange
  | { readonly kind: "advance"; readonly byMs: number }
  | { readonly kind: "snapshot" | "restore" | "reset" | "fork" };

/** An action with when it was done, and the answer where it was a request. */
export interface Step {
  readonly action: Action;
  readonly atMs: number;
  readonly response: ApiResponse | undefined;
  /** Id of the publisher whom a request is about. */
  readonly about: string | undefined;
  /** Who signed up, or has another key, as it is then. */
  readonly publisher: Publisher | undefined;
}

/** What a simulator of a campaign is made from: every assumption spelled out. */
export type RunOptions = SimulatorOptions & {
  readonly assumptions: Assumptions;
  readonly publishers: number;
};

/** A finished run. `sim` is as the last step left it: fork it to try something. */
export interface Run {
  readonly options: RunOptions;
  readonly steps: readonly Step[];
  readonly sim: Simulator;
  /** The publishers that took part, as they are now. */
  readonly publishers: readonly Publisher[];
  /** The same population before anything was recorded, under assumptions that hide and round nothing. */
  readonly pristine: Simulator;
}

/** Does actions to one simulator. A fork takes its origin's place. */
export interface Player {
  readonly sim: Simulator;
  readonly steps: readonly Step[];
  /** `about`: whom a request is about. */
  play(action: Action, about?: string): ApiResponse | undefined;
}

/** `plant`: what is done to the simulator and to its forks before they are used. */
export function createPlayer(options: SimulatorOptions, plant?: (sim: Simulator) => void): Player {
  let sim = createSimulator(options);
  plant?.(sim);
  let saved: Snapshot | undefined;
  const steps: Step[] = [];

  function act(action: Action): ApiResponse | undefined {
    switch (action.kind) {
      case "request":
        return sim.handle(action.request);
      case "advance":
        sim.clock.advance(action.byMs);
        return undefined;
      case "snapshot":
        // Through JSON: a snapshot must not share anything with its origin.
        saved = JSON.parse(JSON.stringify(sim.snapshot()));
        return undefined;
      case "restore":
        if (saved !== undefined) sim.restore(saved);
        return undefined;
      case "fork":
        sim = sim.fork();
        plant?.(sim);
        return undefined;
      case "reset":
        sim.reset();
        return undefined;
      default:
        repeatChange(sim, action, (_id, rule) => rule);
        return undefined;
    }
  }

  function publisherAfter(action: Action): Publisher | undefined {
    if (action.kind === "sign-up") return sim.publishers.at(sim.publishers.total - 1);
    return action.kind === "rotate-key" ? sim.publishers.get(action.publisher) : undefined;
  }

  return {
    get sim(): Simulator {
      return sim;
    },
    steps,
    play(action, about) {
      const atMs = sim.clock.now();
      const response = act(action);
      steps.push({ action, atMs, response, about, publisher: publisherAfter(action) });
      return response;
    },
  };
}

/** The answers to the requests among `actions`, in a simulator made from `options`. */
export function replay(options: SimulatorOptions, actions: readonly Action[]): Player {
  const player = createPlayer(options);
  for (const action of actions) player.play(action);
  return player;
}

/**
 * The steps without those that were undone: a reset undoes all before it, a restore all since its snapshot. The others led,
 * step by step, from the world's start to its state now, and time never turns back in it.
 */
export function withoutUndone(steps: readonly Step[]): Step[] {
  let lasting: Step[] = [];
  let saved: readonly Step[] | undefined;
  for (const step of steps) {
    const { kind } = step.action;
    if (kind === "reset") lasting = [];
    else if (kind === "snapshot") saved = [...lasting];
    else if (kind !== "restore") lasting.push(step);
    else if (saved !== undefined) lasting = [...saved];
  }
  return lasting;
}

type RequestStep = Step & {
  readonly action: Extract<Action, { kind: "request" }>;
  readonly response: ApiResponse;
};

export function requestSteps(steps: readonly Step[]): RequestStep[] {
  return steps.filter(
    (step): step is RequestStep => step.action.kind === "request" && step.response !== undefined,
  );
}

/** Throws unless `isTrue`, naming the rule that is broken. */
export function require(rule: string, isTrue: boolean, what: string): asserts isTrue {
  if (!isTrue) throw new Error(`${rule} is broken: ${what}`);
}

/** The state as text, save for the limiters' buckets, what was counted of requests, and the digest over all. */
export function stateOf(sim: Simulator): string {
  return JSON.stringify(sim.snapshot(), (key, value) => (unstated.has(key) ? undefined : value));
}

const unstated: ReadonlySet<string> = new Set(["buckets", "tally", "withoutKey", "digest"]);
