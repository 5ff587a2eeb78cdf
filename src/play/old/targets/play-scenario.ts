/** Plays a scenario on any target: in this process, on an adsim over HTTP, or on another service in real time. */

import { assert } from "../../../base/assert.ts";
import { InputError } from "../../../base/input.ts";
import type { Choices } from "../../../simulator/simulator-options.ts";
import { parseScenario } from "../../scenario/parse-scenario.ts";
import { play } from "../player/play.ts";
import { freshSnapshot, playInProcess } from "../player/play-in-process.ts";
import type { PlayResult } from "../player/result.ts";
import { openAdsimTarget } from "./adsim-target.ts";
import { askHealth, type Health } from "./control-api.ts";
import { drive, unlessAborted } from "./drive.ts";
import { createHttpClient } from "./http-client.ts";
import { playAtService } from "./play-at-service.ts";
import type { ServiceOptions, Target, TargetOptions } from "./target.ts";
import { readTargetUrl, type TargetUrl } from "./target-url.ts";

export interface PlayScenarioOptions
  extends Pick<TargetOptions, "controlToken" | "speed" | "onProgress">,
    Partial<Pick<ServiceOptions, "credentials" | "connections">> {
  /** Base URL of the service. @default a simulator in this process */
  readonly target?: string | URL | undefined;
  /** Choices of a service that isn't adsim, by assumption. What the scenario expects under others is unknown. @default none known */
  readonly assumptions?: Choices | undefined;
  /**
   * A part of every session id at a service that isn't adsim, so that its events aren't duplicates of an earlier run's.
   * The result says it. @default a random one
   */
  readonly runId?: string | undefined;
  /** Whether to play in real time even if it takes more than a minute. @default false */
  readonly wait?: boolean | undefined;
  /** The most requests that the scenario may send. @default 20000000 */
  readonly maxRequests?: number | undefined;
  /** The result's `reproduce` line. @default "npx adsim play" and the scenario's name */
  readonly reproduce?: string | undefined;
  /** Called before each top-level step with its index, from 0, and the number of steps. */
  readonly onStep?: ((index: number, count: number) => void) | undefined;
  /** Aborts a play on a `target`: its connections are closed, and it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options that mean nothing where time is virtual, and what they need. */
const needingRealTime = {
  assumptions: "credentials",
  runId: "credentials",
  wait: "credentials",
} as const;

/** Options that mean nothing in process. */
const needingTarget = [
  "speed",
  "credentials",
  "controlToken",
  "connections",
  "assumptions",
  "runId",
  "wait",
] as const;

/**
 * Plays a scenario. Without a `target` it plays in process and in virtual time. On an adsim it plays in a world of its own
 * (`/@NAME`, or the world that the URL names) and replaces that world's state; time is virtual, or `speed` times as fast as
 * real time. With `credentials` it plays on any other service, in real time.
 *
 * @throws InputError (as a rejection) for wrong options, and with step and field for a scenario that can't be played. Error
 * that says what to do if the target can't be reached.
 */
export async function playScenario(
  scenario: unknown,
  options: PlayScenarioOptions = {},
): Promise<PlayResult> {
  const { target: url, maxRequests, onStep } = options;
  if (url === undefined) {
    for (const name of needingTarget) {
      if (options[name] === undefined) continue;
      throw new InputError(name, "needs a target: in process no real time passes");
    }
    return playInProcess(scenario, { maxRequests, onStep, reproduce: options.reproduce });
  }
  const parsed = parseScenario(scenario, { maxRequests });
  const reproduce = options.reproduce ?? `npx adsim play ${parsed.name} --target ${url}`;
  const { signal, credentials = [], assumptions: knownChoices } = options;
  if (credentials.length > 0) {
    const [result] = await playAtService([parsed], {
      ...options,
      target: url,
      credentials,
      knownChoices,
      reproduce: [reproduce],
    });
    assert(result !== undefined, "The scenario wasn't played.");
    return result;
  }
  for (const [name, needed] of Object.entries(needingRealTime)) {
    if (options[name as keyof typeof needingRealTime] === undefined) continue;
    throw new InputError(name, `needs ${needed}: this play moves the clock of an adsim itself`);
  }
  const opening = openTarget(url, {
    ...options,
    worldName: parsed.name,
    snapshot: () => freshSnapshot(parsed),
  });
  // The target may never answer, so the signal ends this wait too.
  const target = await unlessAborted(signal, opening, (late) => late.close());
  try {
    const { capabilities, description, performers } = target;
    const playing = play(parsed, { capabilities, target: description, reproduce, onStep });
    return await unlessAborted(signal, drive(playing, performers));
  } finally {
    await target.close();
  }
}

/**
 * @throws InputError (as a rejection) for wrong options, and for a service that isn't an adsim without credentials; Error
 * that says what to do if the target can't be reached or refuses.
 */
export async function openTarget(url: string | URL, options: TargetOptions): Promise<Target> {
  const target = readTargetUrl(url);
  const found = await healthAt(target, options.controlToken);
  if (found.kind === "adsim") return await openAdsimTarget(target, found.version, options);
  if (found.kind === "refusing") {
    throw new Error(
      `The target ${target.url} is an adsim that refuses control requests (${found.status}): ${found.detail} Give its control token (--control-token), or play against it like any other service with --api-key and --publisher.`,
    );
  }
  throw new InputError(
    "target",
    `${target.url} is not an adsim (GET ${target.url}/_sim/health has status ${found.status}), so its publishers are unknown. Give one with --api-key KEY and --publisher ID`,
  );
}

async function healthAt({ origin, prefix }: TargetUrl, token: string | undefined): Promise<Health> {
  const client = await createHttpClient(origin, { connections: 1 });
  try {
    return await askHealth({ client, origin, prefix, token });
  } finally {
    await client.close();
  }
}
