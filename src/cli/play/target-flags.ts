/** The options of `adsim play` that are about a target: which of them go together, and how they are given again. */

import { overrideWords } from "../../play/scenario/overrides.ts";
import type { Choices } from "../../simulator/simulator-options.ts";
import { readAssumptionFlags } from "../options/assumption-flags.ts";
import { isTokenGiven } from "../options/common-options.ts";
import { wrongUsage } from "../output/exit.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { type GivenPublisher, givenPublishers, publisherWords } from "./credentials.ts";
import type { PlayFlags } from "./play-options.ts";

export interface TargetFlags {
  /** Undefined for a play in this process. */
  readonly target: string | undefined;
  /** Empty unless the target is a service other than adsim. */
  readonly credentials: readonly GivenPublisher[];
  /** What such a service chooses. Assumptions can't be changed there. */
  readonly knownChoices: Choices;
  /** The flags that override the scenario's own settings. */
  readonly overrides: PlayFlags;
  /** The options as words of a command. */
  readonly words: readonly string[];
}

/** @throws CommandFailure for options that don't go together, InputError for a wrong choice. */
export async function readTargetFlags(flags: PlayFlags, host: HostProcess): Promise<TargetFlags> {
  const credentials = givenPublishers(flags);
  refuseWrongUsage(flags, credentials, host);
  const { target } = flags;
  const words = wordsOf(flags, credentials, host);
  if (credentials.length === 0)
    return { target, credentials, knownChoices: {}, overrides: flags, words };
  // readAssumptionFlags has checked them.
  const knownChoices = (await readAssumptionFlags(flags)).chosen as Choices;
  const { assume: _, assumptions: __, ...overrides } = flags;
  const choices = overrideWords({ assumptions: knownChoices });
  return { target, credentials, knownChoices, overrides, words: [...choices, ...words] };
}

function wordsOf(
  flags: PlayFlags,
  credentials: readonly GivenPublisher[],
  host: HostProcess,
): readonly string[] {
  const { target, speed, maxRequests, runId, wait } = flags;
  return [
    ...(target === undefined ? [] : ["--target", target]),
    ...(speed === undefined ? [] : ["--speed", String(speed)]),
    ...publisherWords(credentials),
    ...(isTokenGiven(flags, host) ? ["--control-token", "…"] : []),
    ...(runId === undefined ? [] : ["--run-id", runId]),
    ...(wait === true ? ["--wait"] : []),
    ...(maxRequests === undefined ? [] : ["--max-requests", String(maxRequests)]),
  ];
}

function refuseWrongUsage(
  flags: PlayFlags,
  credentials: readonly GivenPublisher[],
  host: HostProcess,
): void {
  const forServices = {
    "--run-id": flags.runId !== undefined,
    "--wait": flags.wait === true,
    "--playable": flags.playable === true,
  };
  const forTargets = {
    "--speed": flags.speed !== undefined,
    "--api-key, --publisher and --surface": credentials.length > 0,
    "--control-token": isTokenGiven(flags, host),
  };
  if (flags.target === undefined) {
    const given = firstGiven({ ...forTargets, ...forServices });
    if (given === undefined) return;
    throw wrongUsage(
      `${given} needs --target: a play in this process never waits and needs no keys.`,
    );
  }
  const given = credentials.length > 0 ? undefined : firstGiven(forServices);
  if (given === undefined) return;
  throw wrongUsage(
    `${given} is for services other than adsim. Give a publisher of the service with --api-key KEY and --publisher ID.`,
  );
}

function firstGiven(given: Readonly<Record<string, boolean>>): string | undefined {
  return Object.entries(given).find(([, isGiven]) => isGiven)?.[0];
}
