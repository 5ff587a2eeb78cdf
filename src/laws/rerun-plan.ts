/** Repeats in a new world what was done to another: all of it, a part, or with changes in between. */

import type { SimulatorCore } from "../simulator/simulator.ts";
import type { SimulatorOptions } from "../simulator/simulator-options.ts";
import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import {
  type PublisherChange,
  repeatPublisherChange,
} from "../world/accounts/publisher-directory.ts";

/** Something that was done to a world, and when on its clock. Requests are in the order of the trace. */
export type WorldAction = { readonly atMs: number } & (
  | { readonly kind: "request"; readonly request: ApiRequest }
  | PublisherChange
  /** A fork replaces the world. */
  | { readonly kind: "fork" }
);

export interface RerunPlan {
  /** The options of the original world. */
  readonly options: SimulatorOptions;
  readonly create: (options: SimulatorOptions) => SimulatorCore;
  /** All actions, or the first ones. */
  readonly actions: readonly WorldAction[];
  /** Why some changes aren't among the actions; undefined if all are. */
  readonly missing: string | undefined;
  /** When the run ended, in milliseconds since 1970. */
  readonly untilMs: number;
  /** Sends a recording of the run again, if there is one, and says what was compared. Throws as a law does. */
  readonly replay?: (() => string) | undefined;
}

export interface RerunResult {
  /** By place in `actions`; undefined for an action that isn't a request or wasn't performed. */
  readonly answers: readonly (ApiResponse | undefined)[];
  readonly sim: SimulatorCore;
}

export interface RerunChange {
  readonly options?: SimulatorOptions;
  /** Which actions to perform. @default all */
  readonly only?: (action: WorldAction, place: number) => boolean;
  /** Called before each action. Returns the world to continue with. */
  readonly between?: (sim: SimulatorCore, place: number) => SimulatorCore;
}

export function newWorld(plan: RerunPlan, options: SimulatorOptions = plan.options): SimulatorCore {
  return plan.create({ ...options, clock: "frozen" });
}

export function runAgain(
  plan: RerunPlan,
  { options, only, between }: RerunChange = {},
): RerunResult {
  let sim = newWorld(plan, options);
  const answers = plan.actions.map((action, place) => {
    sim = between?.(sim, place) ?? sim;
    advanceTo(sim, action.atMs);
    if (only !== undefined && !only(action, place)) return undefined;
    if (action.kind === "fork") sim = sim.fork();
    return performAction(sim, action);
  });
  advanceTo(sim, plan.untilMs);
  return { answers, sim };
}

export function halfwayPlace({ actions }: RerunPlan): number {
  return Math.floor(actions.length / 2);
}

function advanceTo(sim: SimulatorCore, atMs: number): void {
  const byMs = atMs - sim.clock.now();
  if (byMs > 0) sim.clock.advance(byMs);
}

/** A request made the service throw. The law that sent it counts as broken. */
export class ServiceThrew extends Error {}

/** @throws ServiceThrew */
export function answerOf(sim: SimulatorCore, request: ApiRequest): ApiResponse {
  try {
    return sim.handle(request);
  } catch (thrown) {
    const { method, path } = request;
    throw new ServiceThrew(`${method} ${path} made the service throw ${String(thrown)}`);
  }
}

export function performAction(sim: SimulatorCore, action: WorldAction): ApiResponse | undefined {
  switch (action.kind) {
    case "request":
      return answerOf(sim, action.request);
    case "fork":
      return undefined;
    default:
      repeatPublisherChange(sim.publishers, action);
      return undefined;
  }
}
