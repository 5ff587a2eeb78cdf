/** Reads `--load FILE`: the snapshot, and the options for a world like it. */

import { readSnapshot } from "../../adapters/files/snapshot-file.ts";
import { formatInstant, parseInstant } from "../../base/calendar.ts";
import type { InputError } from "../../base/input.ts";
import type { Choices, SimulatorOptions } from "../../simulator/simulator-options.ts";
import type { Snapshot } from "../../world/accounts/snapshot.ts";
import { type CommandFailure, couldNotRun, flagOf, wrongUsage } from "../output/exit.ts";
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
  const { chosen } = await readAssumptionFlags(flags);
  const startMs = parseInstant(flags.start ?? "");
  // An invalid instant differs from the snapshot's, too.
  const given = { ...flags, start: startMs === undefined ? flags.start : formatInstant(startMs) };
  const saved = { seed, start, publishers, profile };
  const differences = [
    ...Object.entries(saved).map(([key, value]) => [
      flagOf(key),
      given[key as keyof typeof saved],
      value,
    ]),
    ...Object.entries(chosen).map(([key, choice]) => [
      `--assume ${key}`,
      choice,
      snapshot.assumptions[key],
    ]),
  ].filter(([, here, there]) => here !== undefined && here !== there);
  for (const [option, here, there] of differences) {
    throw wrongUsage(
      `${option} is ${JSON.stringify(here)}, but the world in --load ${file} has ${JSON.stringify(there)}. Leave it out, or load another snapshot.`,
    );
  }
  return { snapshot, options: { ...saved, assumptions: snapshot.assumptions as Choices } };
}

/** The error for a complete snapshot that this version can't load. */
export function snapshotFailure(file: string, { message }: InputError): CommandFailure {
  return couldNotRun(
    `${file}: can't be loaded: ${message.replace(/^snapshot\./, "")} Give a file that this version of adsim saved.`,
  );
}
