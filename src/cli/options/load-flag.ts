/** What `--load FILE` brings: the snapshot, and the options that a world is made from to be like it. */

import { readSnapshot } from "../../adapters/files/snapshot-file.ts";
import { formatInstant, parseInstant } from "../../base/calendar.ts";
import { InputError } from "../../base/input.ts";
import type { Readings, SimulatorOptions } from "../../simulator/simulator-options.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import type { Snapshot } from "../../world/accounts/snapshot.ts";
import { type CommandFailure, couldNotRun, wrongUsage } from "../output/exit.ts";
import { readAssumptionFlags } from "./assumption-flags.ts";
import type { CommonFlags } from "./common-options.ts";

export interface LoadedSnapshot {
  readonly snapshot: Snapshot;
  /** The settings of its world, as options. */
  readonly options: SimulatorOptions;
}

/**
 * Reads the file, and makes sure that no option asks for another world than the one in it.
 *
 * @throws SnapshotFileError, and CommandFailure that names the option that contradicts it.
 */
export async function readLoadFlag(file: string, flags: CommonFlags): Promise<LoadedSnapshot> {
  const snapshot = await readSnapshot(file);
  const { chosen } = await readAssumptionFlags(flags);
  for (const [option, given, saved] of optionPairs(flags, chosen, inForce(file, snapshot))) {
    if (given === undefined || given === saved) continue;
    throw wrongUsage(
      `${option} is ${JSON.stringify(given)}, but the world in --load ${file} has ${JSON.stringify(saved)}. Leave ${option.split(" ")[0]} out, or load another snapshot.`,
    );
  }
  return {
    snapshot,
    options: {
      seed: snapshot.seed,
      start: formatInstant(snapshot.start),
      publishers: snapshot.publishers,
      profile: snapshot.profile,
      // Made sure of above.
      assumptions: snapshot.assumptions as Readings,
    },
  };
}

interface InForce {
  readonly snapshot: Snapshot;
  readonly assumptions: Readonly<Record<string, string>>;
}

function inForce(file: string, snapshot: Snapshot): InForce {
  try {
    return { snapshot, assumptions: resolveAssumptions(snapshot.assumptions) };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw snapshotFailure(file, error);
  }
}

/** A snapshot that is whole, and that this version can't make a world of. */
export function snapshotFailure(file: string, { message }: InputError): CommandFailure {
  return couldNotRun(
    `${file}: can't be loaded: ${message.replace(/^snapshot\./, "")} Give a file that this version of adsim saved.`,
  );
}

/** Each option with what was given and what the snapshot has. */
function optionPairs(
  flags: CommonFlags,
  chosen: Readonly<Record<string, string>>,
  { snapshot, assumptions }: InForce,
): readonly (readonly [option: string, given: unknown, saved: unknown])[] {
  const startMs = flags.start === undefined ? undefined : parseInstant(flags.start);
  return [
    ["--seed", flags.seed, snapshot.seed],
    [
      "--start",
      // One that is no instant isn't the snapshot's either.
      startMs === undefined ? flags.start : formatInstant(startMs),
      formatInstant(snapshot.start),
    ],
    ["--publishers", flags.publishers, snapshot.publishers],
    ["--profile", flags.profile, snapshot.profile],
    ...Object.entries(chosen).map(
      ([key, choice]) => [`--assume ${key}`, choice, assumptions[key]] as const,
    ),
  ];
}
