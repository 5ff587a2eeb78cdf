/** Reads `--load FILE`: the snapshot, and the options for a world like it. */

import { readSnapshot } from "../../adapters/files/snapshot-file.ts";
import { formatInstant, parseInstant } from "../../base/calendar.ts";
import { InputError } from "../../base/input.ts";
import type { Choices, SimulatorOptions } from "../../simulator/simulator-options.ts";
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
 * Reads the file, and checks that no option contradicts the world in it.
 *
 * @throws SnapshotFileError; CommandFailure that names the contradicting option.
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
      // Checked by `inForce` above.
      assumptions: snapshot.assumptions as Choices,
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

/** The error for a complete snapshot that this version can't load. */
export function snapshotFailure(file: string, { message }: InputError): CommandFailure {
  return couldNotRun(
    `${file}: can't be loaded: ${message.replace(/^snapshot\./, "")} Give a file that this version of adsim saved.`,
  );
}

/** Each option with the given value and the snapshot's. */
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
      // An invalid instant differs from the snapshot's too.
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
