/** Recordings of a world in process, as its exports are: the journal's entries with the world that answered. */

import type { JournalEntry, Simulator, SimulatorOptions } from "../../../src/index.ts";
import { catalogue } from "../../../src/spec/assumptions/catalogue.ts";

/** The settings of a world, as an exported entry has them. */
export function worldOf(sim: Simulator, options: SimulatorOptions): object {
  const points: Readonly<Record<string, { readonly default: string }>> = catalogue;
  const others = Object.entries(sim.assumptions).filter(
    ([key, choice]) => points[key]?.default !== choice,
  );
  return {
    seed: sim.seed,
    start: options.start ?? "2026-01-15T00:00:00.000Z",
    publishers: options.publishers ?? 25,
    profile: options.profile ?? "typical",
    assumptions: Object.fromEntries(others),
  };
}

/** One line of the export. */
export function lineOf(entry: JournalEntry, world: object): string {
  return JSON.stringify({ ...entry, world });
}

/** A world's journal so far, as lines of the export. */
export function linesOf(sim: Simulator, options: SimulatorOptions): string[] {
  const world = worldOf(sim, options);
  return sim.journal.entries().map((entry) => lineOf(entry, world));
}
