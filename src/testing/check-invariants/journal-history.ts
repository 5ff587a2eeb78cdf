/** What a simulator did so far, out of its journal: the requests with their answers, and whether that is all there was. */

import { formatInstant } from "../../base/calendar.ts";
import { fromBase64 } from "../../base/text.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import type { SimulatorCore } from "../../simulator/simulator.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import type { Snapshot } from "../../world/accounts/snapshot.ts";

/** An entry with what the world that answered was made from. */
export type RecordedEntry = JournalEntry & {
  readonly world: Pick<Snapshot, "seed" | "publishers" | "profile" | "assumptions"> & {
    readonly start: string;
  };
};

export interface JournalHistory {
  /** Keys and all: nothing of them may get into what is said of an invariant. */
  readonly entries: readonly RecordedEntry[];
  /** The same as they are exported, a JSON document a line. */
  readonly lines: readonly string[];
  /** Why these aren't all the requests that led to the state; undefined where they are. */
  readonly gap: string | undefined;
  /** What a new world like this one is made from. */
  readonly options: SimulatorOptions;
  /** The state, without its fault rules. */
  readonly snapshot: Snapshot;
}

export function journalHistoryOf(sim: SimulatorCore): JournalHistory {
  const snapshot = snapshotOf(sim);
  const lines = sim.journal.toNdjson({ secrets: "shown" }).split("\n").filter(Boolean);
  // The journal's own lines.
  const entries = lines.map((line) => JSON.parse(line) as RecordedEntry);
  const { seed, start, publishers, profile, assumptions } = snapshot;
  const options = { seed, start: formatInstant(start), publishers, profile, assumptions };
  return { entries, lines, gap: gapIn(sim, entries, options), options, snapshot };
}

/** Of a world aside: a rule that is a function has no place in a snapshot. */
function snapshotOf(sim: SimulatorCore): Snapshot {
  const aside = sim.fork();
  aside.faults.clear();
  return aside.snapshot();
}

function gapIn(
  sim: SimulatorCore,
  entries: readonly RecordedEntry[],
  { seed, start, publishers, profile }: SimulatorOptions,
): string | undefined {
  const { total, kept } = sim.journal;
  if (kept < total)
    return `the journal has forgotten ${total - kept} of ${total} requests: give the simulator more journalEntries and journalBytes, and don't clear its journal`;
  const name = JSON.stringify([seed, start, publishers, profile]);
  const isOther = ({ world }: RecordedEntry): boolean =>
    JSON.stringify([world.seed, world.start, world.publishers, world.profile]) !== name;
  const turnsBack = entries.some(({ at }, place) => at < (entries[place - 1]?.at ?? ""));
  const lines = sim.audit().total;
  const counted = lines.attempts + lines.copies;
  const recording = entries.filter(
    ({ operation }) => operation === "impression" || operation === "click",
  ).length;
  if (!turnsBack && !entries.some(isOther) && counted === recording) return undefined;
  return "the state doesn't follow from the journal alone: the world is a fork, or a snapshot was put back";
}

/** The request as it was sent. */
export function requestOf({ request }: RecordedEntry): ApiRequest {
  const { bodyBase64, ...sent } = request;
  return bodyBase64 === undefined ? sent : { ...sent, body: fromBase64(bodyBase64) };
}

/** The key that was sent, whether it is one or not. */
export function sentKeyOf({ request }: RecordedEntry): string | undefined {
  return /^\S+\s+(\S+)$/.exec(request.headers.authorization ?? "")?.[1];
}
