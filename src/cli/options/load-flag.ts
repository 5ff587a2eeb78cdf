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
  const { seed, publishers, profile } = snapshot;
  const start = formatInstant(snapshot.start);
  const assumptions = inForce(file, snapshot);
  const { chosen } = await readAssumptionFlags(flags);
  const startMs = parseInstant(flags.start ?? "");
  const pairs: readonly (readonly [option: string, given: unknown, saved: unknown])[] = [
    ["--seed", flags.seed, seed],
    // An invalid instant differs from the snapshot's too.
    ["--start", startMs === undefined ? flags.start : formatInstant(startMs), start],
    ["--publishers", flags.publishers, publishers],
    ["--profile", flags.profile, profile],
    ...Object.entries(chosen).map(
      ([key, choice]) => [`--assume ${key}`, choice, assumptions[key]] as const,
    ),
  ];
  for (const [option, given, saved] of pairs) {
    if (given === undefined || given === saved) continue;
    throw wrongUsage(
      `${option} is ${JSON.stringify(given)}, but the world in --load ${file} has ${JSON.stringify(saved)}. Leave ${option.split(" ")[0]} out, or load another snapshot.`,
    );
  }
  // Checked by `inForce` above.
  const choices = snapshot.assumptions as Choices;
  return { snapshot, options: { seed, start, publishers, profile, assumptions: choices } };
}

function inForce(file: string, { assumptions }: Snapshot): Readonly<Record<string, string>> {
  try {
    return resolveAssumptions(assumptions);
  } catch (error) {
    throw error instanceof InputError ? snapshotFailure(file, error) : error;
  }
}

/** The error for a complete snapshot that this version can't load. */
export function snapshotFailure(file: string, { message }: InputError): CommandFailure {
  return couldNotRun(
    `${file}: can't be loaded: ${message.replace(/^snapshot\./, "")} Give a file that this version of adsim saved.`,
  );
}
