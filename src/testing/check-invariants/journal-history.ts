/** A simulator's requests and answers so far, from its journal, and whether the journal is complete. */

import { formatInstant } from "../../base/calendar.ts";
import { fromBase64 } from "../../base/text.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import { isEventKind } from "../../spec/operations.ts";
import type { Snapshot } from "../../world/accounts/snapshot.ts";

/** A journal entry with the options of the world that answered. */
export type RecordedEntry = JournalEntry & {
  readonly world: Pick<Snapshot, "seed" | "publishers" | "profile" | "assumptions"> & {
    readonly start: string;
  };
};

export interface JournalHistory {
  /** With API keys: they must not get into the text of a result. */
  readonly entries: readonly RecordedEntry[];
  /** Why other requests or changes led to the state too; undefined if none did. */
  readonly gap: string | undefined;
  /** Options to create a new world like this one. */
  readonly options: SimulatorOptions;
}

export function journalHistoryOf(sim: SimulatorCore): JournalHistory {
  const snapshot = snapshotOf(sim);
  const lines = sim.journal.toNdjson({ secrets: "shown" }).split("\n").filter(Boolean);
  // The journal wrote these lines.
  const entries = lines.map((line) => JSON.parse(line) as RecordedEntry);
  const { seed, start, publishers, profile, assumptions } = snapshot;
  const options = { seed, start: formatInstant(start), publishers, profile, assumptions };
  return { entries, gap: gapIn(sim, entries, options), options };
}

/** Taken from a fork without fault rules: a rule that is a function can't be in a snapshot. */
function snapshotOf(sim: SimulatorCore): Snapshot {
  const fork = sim.fork();
  fork.faults.clear();
  return fork.snapshot();
}

function gapIn(
  sim: SimulatorCore,
  entries: readonly RecordedEntry[],
  { seed, start, publishers, profile }: SimulatorOptions,
): string | undefined {
  const { total, kept } = sim.journal;
  if (kept < total)
    return `the journal has forgotten ${total - kept} of ${total} requests: give the simulator more journalEntries, and don't clear its journal`;
  const name = JSON.stringify([seed, start, publishers, profile]);
  const isOther = ({ world }: RecordedEntry): boolean =>
    JSON.stringify([world.seed, world.start, world.publishers, world.profile]) !== name;
  const turnsBack = entries.some(({ at }, place) => at < (entries[place - 1]?.at ?? ""));
  const lines = sim.audit().total;
  const counted = lines.attempts + lines.copies;
  const recording = entries.filter(({ operation }) => isEventKind(operation)).length;
  if (!turnsBack && !entries.some(isOther) && counted === recording) return undefined;
  return "the journal doesn't explain the state: the world is a fork, or a snapshot was restored";
}

/** The request as it was sent. */
export function requestOf({ request }: RecordedEntry): ApiRequest {
  const { bodyBase64, ...sent } = request;
  return bodyBase64 === undefined ? sent : { ...sent, body: fromBase64(bodyBase64) };
}
