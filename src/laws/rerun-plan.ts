/** Does what was done to a world once more, in a new one: the same, in part, or with something else in between. */

import type { SimulatorCore } from "../simulator/simulator.ts";
import type { SimulatorOptions } from "../simulator/simulator-options.ts";
import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import type { SignUpRequest, SurfaceChange } from "../world/accounts/publisher-directory.ts";

/** Something that was done to a world, at an instant of its clock. Requests stand in the order of the trace. */
export type WorldAction = { readonly atMs: number } & (
  | { readonly kind: "request"; readonly request: ApiRequest }
  | { readonly kind: "sign-up"; readonly signUp: SignUpRequest; readonly publisher: string }
  | { readonly kind: "rotate-key"; readonly publisher: string }
  | {
      readonly kind: "set-surface";
      readonly publisher: string;
      readonly surface: string;
      readonly change: SurfaceChange;
    }
  /** A fork takes the world's place. */
  | { readonly kind: "fork" }
);

export interface RerunPlan {
  /** What the world was made from. */
  readonly options: SimulatorOptions;
  readonly create: (options: SimulatorOptions) => SimulatorCore;
  /** The first of what was done, or all. */
  readonly actions: readonly WorldAction[];
  /** Why not all of what was done by hand is among them; undefined where it is. */
  readonly missing: string | undefined;
  /** When that was over, in milliseconds since 1970. */
  readonly untilMs: number;
  /** Sends a recording of it again and says what was compared, where there is one. It throws as a law does. */
  readonly replayed?: (() => string) | undefined;
}

/** What came of doing it again. */
export interface RerunResult {
  /** By place among the deeds; undefined where it is no request, or wasn't sent. */
  readonly answers: readonly (ApiResponse | undefined)[];
  readonly sim: SimulatorCore;
}

export interface RerunChange {
  readonly options?: SimulatorOptions;
  /** What is done. @default all */
  readonly only?: (deed: WorldAction, place: number) => boolean;
  /** Whether the world goes on as another before a deed. */
  readonly between?: (sim: SimulatorCore, place: number) => SimulatorCore;
}

export function newWorld(
  again: RerunPlan,
  options: SimulatorOptions = again.options,
): SimulatorCore {
  return again.create({ ...options, clock: "frozen" });
}

export function runAgain(
  again: RerunPlan,
  { options, only, between }: RerunChange = {},
): RerunResult {
  let sim = newWorld(again, options);
  const answers = again.actions.map((deed, place) => {
    sim = between?.(sim, place) ?? sim;
    advanceTo(sim, deed.atMs);
    if (only !== undefined && !only(deed, place)) return undefined;
    if (deed.kind === "fork") sim = sim.fork();
    return performAction(sim, deed);
  });
  advanceTo(sim, again.untilMs);
  return { answers, sim };
}

/** Where a run is half over. */
export function halfwayPlace({ actions }: RerunPlan): number {
  return Math.floor(actions.length / 2);
}

function advanceTo(sim: SimulatorCore, atMs: number): void {
  const byMs = atMs - sim.clock.now();
  if (byMs > 0) sim.clock.advance(byMs);
}

/** What came of a request was no answer: whatever law made it is broken. */
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

export function performAction(sim: SimulatorCore, deed: WorldAction): ApiResponse | undefined {
  switch (deed.kind) {
    case "request":
      return answerOf(sim, deed.request);
    case "sign-up":
      sim.publishers.signUp(deed.signUp);
      return undefined;
    case "rotate-key":
      sim.publishers.rotateKey(deed.publisher);
      return undefined;
    case "set-surface":
      sim.publishers.setSurface(deed.publisher, deed.surface, deed.change);
      return undefined;
    case "fork":
      return undefined;
  }
}
