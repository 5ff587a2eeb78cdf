/**
 * Keeps a server's worlds within its limits. If there are too many, it drops the least recently used one, and remembers its
 * name, so that requests to it get 410 instead of a new world.
 */

import { createJournalBudget } from "../journal/budget.ts";
import { type MetricFamily, metric } from "../spec/metrics.ts";
import type { HostedCore } from "./simulator.ts";

/** What a server may keep. */
export interface WorldBounds {
  /** Most worlds, including the permanent one. */
  readonly maxWorlds: number;
  /** Most bytes that all journals may take together. */
  readonly journalBytes: number;
}

/** Counts of the worlds that a server keeps, and of those that it dropped. */
export interface WorldsUsage {
  readonly worlds: { readonly count: number; readonly max: number; readonly dropped: number };
  readonly journals: { readonly bytes: number; readonly limitBytes: number };
}

export interface KeptWorlds {
  /** The world with this name. Counts as a use; the least recently used world is dropped first. */
  use(name: string): HostedCore | undefined;
  /** The world with this name. Doesn't count as a use. */
  peek(name: string): HostedCore | undefined;
  /** In order of creation. */
  names(): string[];
  /** Whether the world with this name was dropped, and its name hasn't been freed since. */
  wasDropped(name: string): boolean;
  /** The names of those, oldest first. */
  droppedNames(): string[];
  /** Makes room for one more world. `keepName`: a world that must not be dropped. @returns whether there is room now. */
  makeRoom(name: string, keepName?: string): boolean;
  /** Adds a new world. Call makeRoom first. */
  add(name: string, world: HostedCore): void;
  /** Deletes a world, or forgets that one was dropped. Its name is free afterwards. @returns whether there was one. */
  delete(name: string): boolean;
  /** Drops a world. Its name isn't free afterwards. */
  drop(name: string): void;
  usage(): WorldsUsage;
}

interface Entry {
  readonly world: HostedCore;
  usedAt: number;
}

/** Names of dropped worlds to remember. The oldest one is forgotten, and its name is free again. */
const MAX_REMEMBERED = 10_000;

/** `permanent`: name of the world that is never dropped. */
export function createKeptWorlds(
  { maxWorlds, journalBytes }: WorldBounds,
  permanent: string,
): KeptWorlds {
  const entries = new Map<string, Entry>();
  const droppedNames = new Set<string>();
  const budget = createJournalBudget(journalBytes);
  let uses = 0;
  let dropped = 0;

  /** @returns false if no world may be dropped. */
  function dropOne(keepName: string | undefined): boolean {
    const [oldest] = [...entries]
      .filter(([name]) => name !== permanent && name !== keepName)
      .sort(([, left], [, right]) => left.usedAt - right.usedAt);
    if (oldest === undefined) return false;
    drop(oldest[0]);
    dropped += 1;
    return true;
  }
  function drop(name: string): void {
    remove(name);
    droppedNames.add(name);
    const [oldest] = droppedNames;
    if (droppedNames.size > MAX_REMEMBERED && oldest !== undefined) droppedNames.delete(oldest);
  }
  function remove(name: string): boolean {
    // Code may still hold the world. What it records from now on must not count against the shared budget.
    entries.get(name)?.world.journal.share(undefined);
    return entries.delete(name);
  }

  return {
    use(name) {
      const entry = entries.get(name);
      if (entry === undefined) return undefined;
      uses += 1;
      entry.usedAt = uses;
      return entry.world;
    },
    peek: (name) => entries.get(name)?.world,
    names: () => [...entries.keys()],
    wasDropped: (name) => droppedNames.has(name),
    droppedNames: () => [...droppedNames],
    makeRoom(name, keepName) {
      // The permanent world counts even before it exists.
      const taken = entries.size + (entries.has(permanent) ? 0 : 1);
      return name === permanent || taken < maxWorlds || dropOne(keepName);
    },
    add(name, world) {
      world.journal.share(budget);
      uses += 1;
      entries.set(name, { world, usedAt: uses });
      droppedNames.delete(name);
    },
    delete(name) {
      const wasThere = remove(name);
      return droppedNames.delete(name) || wasThere;
    },
    drop,
    usage: () => ({
      worlds: { count: entries.size, max: maxWorlds, dropped },
      journals: { bytes: budget.usedBytes(), limitBytes: journalBytes },
    }),
  };
}

export function worldMetrics(kept: KeptWorlds): MetricFamily[] {
  let impressions = 0;
  let entries = 0;
  for (const name of kept.names()) {
    const world = kept.peek(name);
    impressions += world?.usage().impressions ?? 0;
    entries += world?.journal.kept ?? 0;
  }
  const { worlds, journals } = kept.usage();
  return [
    metric("gauge", "adsim_worlds", "Worlds that exist.", worlds.count),
    metric("gauge", "adsim_worlds_limit", "The most worlds that the server keeps.", worlds.max),
    metric(
      "counter",
      "adsim_worlds_dropped_total",
      "Worlds that were dropped to make room.",
      worlds.dropped,
    ),
    metric(
      "gauge",
      "adsim_impressions_held",
      "Impressions in the books of all worlds.",
      impressions,
    ),
    metric("gauge", "adsim_journal_entries", "Entries in the journals of all worlds.", entries),
    metric("gauge", "adsim_journal_bytes", "Bytes that all journals keep.", journals.bytes),
    metric(
      "gauge",
      "adsim_journal_bytes_limit",
      "The most bytes that all journals may keep.",
      journals.limitBytes,
    ),
  ];
}
