/** Plays a scenario on any target: in this process, on an adsim over HTTP, or on another service in real time. */

import { assert } from "../../base/assert.ts";
import { InputError } from "../../base/input.ts";
import type { Readings } from "../../simulator/simulator-options.ts";
import { parseScenario } from "../language/parse/parse-scenario.ts";
import type { Scenario } from "../language/scenario.ts";
import { play } from "../player/play.ts";
import { freshSnapshot, playScenarioSync, simulatorFor } from "../player/play-in-process.ts";
import type { PlayResult } from "../player/result.ts";
import type { Share } from "../traffic/order.ts";
import { openAdsimTarget } from "./adsim-target.ts";
import { askHealth, type Health } from "./control-api.ts";
import { drive, unlessAborted } from "./drive.ts";
import { createHttpClient } from "./http-client.ts";
import { playAtService } from "./play-at-service.ts";
import { planAtService } from "./service-plan.ts";
import type { ServiceCredentials, ServiceOptions, Target, TargetOptions } from "./target.ts";
import { readTargetUrl, type TargetUrl } from "./target-url.ts";

export interface PlayScenarioOptions
  extends Pick<TargetOptions, "controlToken" | "speed" | "onProgress">,
    Partial<Pick<ServiceOptions, "credentials" | "connections">> {
  /** Base URL of the service. @default a simulator in this process */
  readonly target?: string | URL | undefined;
  /** Choices of a service that isn't adsim, by assumption. What the scenario expects under others is unknown. @default none known */
  readonly assumptions?: Readings | undefined;
  /**
   * A part of every session id at a service that isn't adsim, or of a share, so that its events aren't duplicates of an
   * earlier run's. The result says it. @default a random one; none for a share
   */
  readonly runId?: string | undefined;
  /**
   * To be one of several workers that send the scenario's traffic together, in real time: `{ worker: 3, of: 16 }` sends
   * every 16th request, from the third. Without `credentials` the requests have the seeded publishers' keys. Give all
   * workers the same `runId`, or none. `adsim merge` judges their results as JSON. @default all of it
   */
  readonly share?: Share | undefined;
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
  runId: "credentials or a share",
  wait: "credentials or a share",
} as const;

/** Options that mean nothing in process. */
const needingTarget = [
  "speed",
  "credentials",
  "controlToken",
  "connections",
  "assumptions",
  "runId",
  "share",
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
    return playScenarioSync(scenario, { maxRequests, onStep, reproduce: options.reproduce });
  }
  const parsed = parseScenario(scenario, { maxRequests });
  const reproduce = options.reproduce ?? `npx adsim play ${parsed.name} --target ${url}`;
  const { signal, credentials = [], share } = options;
  if (credentials.length > 0 || share !== undefined) {
    if (share !== undefined) checkShare(share);
    const isSeeded = credentials.length === 0;
    if (isSeeded && options.assumptions !== undefined)
      throw new InputError("assumptions", "needs credentials: a scenario has its own assumptions");
    const [result] = await playAtService([parsed], {
      ...options,
      target: url,
      credentials: isSeeded ? seededCredentials(parsed) : credentials,
      knownChoices: isSeeded ? parsed.assumptions : options.assumptions,
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

/** More is a typing mistake. */
const MAX_WORKERS = 10_000;

/** @throws InputError for a worker that can't be. */
export function checkShare({ worker, of }: Share): void {
  const areWhole = Number.isSafeInteger(worker) && Number.isSafeInteger(of);
  if (areWhole && worker >= 1 && worker <= of && of <= MAX_WORKERS) return;
  throw new InputError(
    "share",
    `must be a worker's number and how many there are, such as 3/16: the number from 1 on, and at most ${MAX_WORKERS} workers`,
  );
}

/** The made-up publishers that the scenario names. An adsim with the same seed has them, too. */
function seededCredentials(scenario: Scenario): readonly ServiceCredentials[] {
  const { publishers } = planAtService(scenario, {});
  return simulatorFor(scenario)
    .publishers.credentials(publishers)
    .map(({ surfaces, ...keys }) => ({ ...keys, surfaces: surfaces.map(({ id }) => id) }));
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
