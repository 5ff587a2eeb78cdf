/** Plays scenarios on any target: in this process, on an adsim over HTTP, or on another service in real time. */

import { MINUTE_MS } from "../base/duration.ts";
import { InputError } from "../base/input.ts";
import { createSimulatorCore, type HostedCore, type SimulatorCore } from "../simulator/core.ts";
import type { SimulatorOptions } from "../simulator/simulator-options.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import { encodingOf } from "../spec/build-request.ts";
import { fakerHost } from "../world/publishers/people.ts";
import { readableDuration } from "./measure/quantities.ts";
import { play } from "./player/play.ts";
import { nameChoices } from "./player/rests-on.ts";
import type { PlayResult } from "./player/result.ts";
import {
  countRequests,
  type ParseScenarioOptions,
  parseScenario,
} from "./scenario/parse-scenario.ts";
import type { Scenario } from "./scenario/types.ts";
import { createAdsimClient, openAdsimTarget } from "./targets/adsim-target.ts";
import { planAtService } from "./targets/service-plan.ts";
import { openServiceTarget, randomRunId } from "./targets/service-target.ts";
import { readTargetUrl, type TargetOptions, type TargetUrl } from "./targets/target.ts";
import { createTurns, type Turns } from "./targets/turns.ts";
import { worldTarget } from "./targets/world-target.ts";

export interface PlayScenarioOptions extends ParseScenarioOptions, TargetOptions {
  /** Base URL of the service. @default a simulator in this process */
  readonly target?: string | URL | undefined;
  /**
   * A part of every session id at a service that isn't adsim, so that its events aren't duplicates of an earlier run's.
   * The result says it. @default a random one
   */
  readonly runId?: string | undefined;
  /** Whether to play in real time even if it takes more than a minute. @default false */
  readonly wait?: boolean | undefined;
  /** The result's `reproduce` line. @default "npx adsim play" with the scenario's name and the target */
  readonly reproduce?: string | undefined;
  /** Called before each top-level step with its index, from 0, and the number of steps. */
  readonly onStep?: ((index: number, count: number) => void) | undefined;
}

/**
 * Plays a scenario. Without a `target` it plays in process and in virtual time: the same scenario gives the same result,
 * byte for byte. On an adsim it plays in a world of its own (`/@NAME`, or the world that the URL names) and replaces that
 * world's state; time is virtual, or `speed` times as fast as real time. With `credentials` it plays on any other service,
 * in real time.
 *
 * @throws InputError (as a rejection) for wrong options, and with step and field for a scenario that can't be played. Error
 * that says what to do if the target can't be reached.
 */
export async function playScenario(
  scenario: unknown,
  options: PlayScenarioOptions = {},
): Promise<PlayResult> {
  for await (const result of playScenarios([scenario], options)) return result;
  throw new Error("The scenario wasn't played.");
}

/** Plays several, one after the other. `reproduce` and the callbacks are those of each. */
export async function* playScenarios(
  scenarios: readonly unknown[],
  options: PlayScenarioOptions = {},
): AsyncGenerator<PlayResult, void> {
  const { target, credentials, signal } = options;
  for (const [name, needed, why] of needs) {
    if (options[name] !== undefined && options[needed] === undefined)
      throw new InputError(name, why);
  }
  const parsed = scenarios.map((one) => parseScenario(one, options));
  try {
    if (target === undefined) {
      for (const scenario of parsed) yield await playIn(simulatorFor(scenario), scenario, options);
    } else if (credentials !== undefined)
      yield* playAtService(parsed, readTargetUrl(target), options);
    else for (const one of parsed) yield await playAtAdsim(one, readTargetUrl(target), options);
  } catch (error) {
    // What was waited for ended in ways of its own.
    signal?.throwIfAborted();
    throw error;
  }
}

const HERE = "needs a target: a play in this process never waits";
const AT_ADSIM = "is for a service other than adsim: give a publisher of it, with its key";

/** Options that mean nothing without another one, and why. */
const needs = [
  ["speed", "target", HERE],
  ["credentials", "target", HERE],
  ["controlToken", "target", HERE],
  ["assumptions", "credentials", AT_ADSIM],
  ["runId", "credentials", AT_ADSIM],
  ["wait", "credentials", AT_ADSIM],
] as const;

type PlayInOptions = Pick<PlayScenarioOptions, "onStep" | "reproduce" | "signal"> & {
  /** @default a play that lets others run every 10 ms and ends with the signal */
  readonly turns?: Turns | undefined;
};

/** Plays a parsed scenario in a simulator as it is. Nobody else uses it meanwhile. */
function playIn(
  simulator: SimulatorCore,
  scenario: Scenario,
  { onStep, reproduce = reproduceLine(scenario), signal, ...options }: PlayInOptions,
): Promise<PlayResult> {
  const turns = options.turns ?? createTurns(() => signal?.throwIfAborted());
  return play(scenario, worldTarget(simulator, turns), { turns, reproduce, onStep });
}

/** Plays in a world that exists: the scenario's world replaces its state. @throws InputError before that. */
export async function playInWorld(
  world: HostedCore,
  input: unknown,
  options: PlayInOptions & ParseScenarioOptions = {},
): Promise<PlayResult> {
  const scenario = parseScenario(input, options);
  world.restore(simulatorFor(scenario).snapshot(), "play");
  return await playIn(world, scenario, options);
}

function reproduceLine({ name }: Scenario, target?: TargetUrl): string {
  return `npx adsim play ${name}${target === undefined ? "" : ` --target ${target.url}`}`;
}

/** The options of the world that a scenario is played in. */
export function worldOptionsOf(scenario: Scenario): SimulatorOptions {
  const { seed, start, publishers, profile, assumptions, faults } = scenario;
  return { seed, start, publishers, profile, assumptions, faults, clock: "frozen" };
}

/** A scenario with more requests is played without a journal: nobody could read it. */
const MAX_JOURNALLED = 1_000_000;

/** The world that a scenario is played in. */
export function simulatorFor(scenario: Scenario): HostedCore {
  const journalEntries = countRequests(scenario) > MAX_JOURNALLED ? 0 : undefined;
  return createSimulatorCore({ ...worldOptionsOf(scenario), journalEntries }, fakerHost);
}

async function playAtAdsim(
  scenario: Scenario,
  url: TargetUrl,
  options: PlayScenarioOptions,
): Promise<PlayResult> {
  const { signal, onStep, reproduce = reproduceLine(scenario, url) } = options;
  const turns = createTurns(() => signal?.throwIfAborted());
  const client = await createAdsimClient(url.origin, signal);
  try {
    const snapshot = simulatorFor(scenario).snapshot();
    const world = { snapshot, worldName: scenario.name, turns };
    const target = await openAdsimTarget(url, client, { ...options, ...world });
    return await play(scenario, target, { turns, reproduce, onStep });
  } finally {
    await client.close();
  }
}

async function* playAtService(
  scenarios: readonly Scenario[],
  url: TargetUrl,
  options: PlayScenarioOptions,
): AsyncGenerator<PlayResult, void> {
  const { assumptions: knownChoices = {}, speed, signal, onStep } = options;
  const encoding = encodingOf(resolveAssumptions(knownChoices));
  const { runId = randomRunId() } = options;
  const plans = scenarios.map((one) => planAtService(one, { speed, knownChoices }));
  const totalMs = plans.reduce((sum, plan) => sum + plan.totalMs, 0);
  if (totalMs > MINUTE_MS && options.wait !== true) {
    const why = `this takes ${readableDuration(totalMs)}, since time is real at a service other than adsim`;
    throw new InputError("wait", `must be given: ${why}`);
  }
  const turns = createTurns(() => signal?.throwIfAborted());
  const target = await openServiceTarget(url, options);
  try {
    for (const [index, scenario] of scenarios.entries()) {
      // Scenarios use the same session ids.
      const ownId = scenarios.length === 1 ? runId : `${runId}-${index + 1}`;
      const { reproduce = reproduceLine(scenario, url) } = options;
      await target.member(0);
      await target.untilQuota(plans[index]?.reads ?? 0);
      const sending = { runId: ownId, encoding };
      const played = await play(scenario, target, { turns, sending, reproduce, onStep });
      yield await nameChoices(played, scenario, { knownChoices, turns });
    }
  } finally {
    await target.close();
  }
}
