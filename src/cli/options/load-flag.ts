/** Reads `--load FILE`: the snapshot, and the options for a world like it. */

import { readSnapshot } from "../../adapters/files/snapshot-file.ts";
import { formatInstant, parseInstant } from "../../base/calendar.ts";
import type { Choices } from "../../simulator/simulator-options.ts";
import { flagOf, wrongUsage } from "../output/exit.ts";
import { readAssumptionFlags } from "./assumption-flags.ts";
import type { CommonFlags } from "./common-options.ts";

/** `options`: the settings of its world. @throws SnapshotFileError; CommandFailure for an option that contradicts them. */
export async function readLoadFlag(file: string, flags: CommonFlags) {
  const snapshot = await readSnapshot(file);
  const { seed, publishers, profile, assumptions } = snapshot;
  const saved = { seed, start: formatInstant(snapshot.start), publishers, profile };
  const start = parseInstant(flags.start ?? "");
  const given: Readonly<Record<string, unknown>> = {
    ...{ ...flags, ...(start !== undefined && { start: formatInstant(start) }) },
    ...(await readAssumptionFlags(flags)).chosen,
  };
  for (const [name, there] of Object.entries({ ...saved, ...assumptions })) {
    const here = given[name];
    if (here === undefined || here === there) continue;
    const option = Object.hasOwn(saved, name) ? flagOf(name) : `--assume ${name}`;
    throw wrongUsage(
      `${option} is ${JSON.stringify(here)}, but the world in --load ${file} has ${JSON.stringify(there)}. Leave it out, or load another snapshot.`,
    );
  }
  return { snapshot, options: { ...saved, assumptions: assumptions as Choices } };
}
