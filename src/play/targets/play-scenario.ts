/** Plays a scenario on any target: in this process, at an adsim over HTTP, or at another service in real time. */

import { InputError } from "../../base/input.ts";
import { parseScenario } from "../language/parse/parse-scenario.ts";
import { play } from "../player/play.ts";
import { freshSnapshot, playScenarioSync } from "../player/play-in-process.ts";
import type { PlayResult } from "../player/result.ts";
import { openAdsimTarget } from "./adsim-target.ts";
import { askHealth, type Health } from "./control-api.ts";
import { drive } from "./drive.ts";
import { createHttpClient } from "./http-client.ts";
import { openServiceTarget } from "./service-target.ts";
import type { Target, TargetOptions } from "./target.ts";
import { readTargetUrl, type TargetUrl } from "./target-url.ts";

export interface PlayScenarioOptions
  extends Pick<
    TargetOptions,
    "controlToken" | "speed" | "credentials" | "connections" | "onProgress"
  > {
  /** Base URL of the service. @default a simulator in this process */
  readonly target?: string | URL | undefined;
  /** The most requests that the scenario may plan. @default 20000000 */
  readonly maxRequests?: number | undefined;
  /** What the result says plays it again. @default "adsim play" and the scenario's name */
  readonly reproduce?: string | undefined;
  /** Told before each step of the scenario, from 0, and of how many there are. */
  readonly onStep?: ((index: number, count: number) => void) | undefined;
  /** Ends a play at a `target` before its end: it rejects with the signal's reason, its connections closed. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Plays a scenario. Without a `target`, in process and in virtual time. At an adsim also in virtual time, in a world of its
 * own (`/@NAME`, or the one that the URL names), whose state the scenario's takes the place of; with `speed` so many times as
 * fast as real time. With `credentials` at any other service, in real time.
 *
 * @throws InputError (as a rejection) for wrong options, and naming step and field of a scenario that can't be played. Error
 * that says what to do where the target can't be reached.
 */
export async function playScenario(
  scenario: unknown,
  options: PlayScenarioOptions = {},
): Promise<PlayResult> {
  const { target: url, maxRequests, onStep } = options;
  if (url === undefined) {
    for (const name of ["speed", "credentials", "controlToken", "connections"] as const) {
      if (options[name] === undefined) continue;
      throw new InputError(name, "needs a target: in process no real time passes");
    }
    return playScenarioSync(scenario, { maxRequests, onStep, reproduce: options.reproduce });
  }
  const parsed = parseScenario(scenario, { maxRequests });
  const reproduce = options.reproduce ?? `adsim play ${parsed.name} --target ${url}`;
  const { signal } = options;
  const opening = openTarget(url, {
    ...options,
    worldName: parsed.name,
    snapshot: () => freshSnapshot(parsed),
  });
  // What is there may never answer: nobody waits for it after the signal.
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
 * What `work` gives, or the signal's reason as soon as it is aborted: what it waits for may be far away. `discard` is handed
 * what comes after that.
 */
function unlessAborted<Result>(
  signal: AbortSignal | undefined,
  work: Promise<Result>,
  discard?: (late: Result) => Promise<void>,
): Promise<Result> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(signal.reason);
      // Who is told of the abort isn't told of what went wrong later.
      if (discard !== undefined) work.then(discard).catch(() => undefined);
    };
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/**
 * @throws InputError (as a rejection) for wrong options, and where a service is no adsim and no credentials are given; Error
 * that says what to do where nobody is there, or it refuses.
 */
export async function openTarget(url: string | URL, options: TargetOptions): Promise<Target> {
  const target = readTargetUrl(url);
  const { credentials = [] } = options;
  if (credentials.length > 0) return await openServiceTarget(target, credentials, options);
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
