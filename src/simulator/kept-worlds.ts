/**
 * Keeps a server's worlds within its limits. If there are too many, or they take too much memory, it drops one: an unused
 * one if there is one, otherwise the least recently used. It remembers the name of a used one, so that requests to it get
 * 410 instead of a new world.
 */

import { createJournalBudget, type JournalBudget } from "../journal/budget.ts";
import { type MetricFamily, metric } from "../spec/metrics.ts";
import type { HostedCore } from "./simulator.ts";

/** What a server may keep. */
export interface WorldBounds {
  /** Most worlds, including the permanent one. */
  readonly maxWorlds: number;
  /** Most bytes that the other worlds may take together, without their journals. */
  readonly bytes: number;
  /** Most bytes that all journals may take together. */
  readonly journalBytes: number;
}

/** Counts of the worlds that a server keeps, and of those that it dropped. */
export interface WorldsUsage {
  readonly worlds: { readonly count: number; readonly max: number; readonly dropped: number };
  /** `bytes`: estimated memory of all worlds but the permanent one, without journals. */
  readonly memory: { readonly bytes: number; readonly limitBytes: number };
  readonly journals: { readonly bytes: number; readonly limitBytes: number };
}

export interface KeptWorlds {
  /** The world with this name. Counts as a use; the least recently used world is dropped first. */
  use(name: string): HostedCore | undefined;
  /** The world with this name. Doesn't count as a use. */
  peek(name: string): HostedCore | undefined;
  /** How often it was used, including its creation; 0 if it doesn't exist. */
  uses(name: string): number;
  /** In order of creation. */
  names(): string[];
  /** Whether the world with this name was dropped after use, and its name hasn't been freed since. */
  wasDropped(name: string): boolean;
  /** The names of those, oldest first. */
  droppedNames(): string[];
  /** Makes room for one more world. `keepName`: a world that must not be dropped. @returns whether there is room now. */
  makeRoom(name: string, keepName?: string): boolean;
  /** Adds a new world. Call makeRoom first. */
  add(name: string, world: HostedCore): void;
  /** Notes that the control API changed a world. */
  markChanged(name: string): void;
  /** Deletes a world, or forgets that one was dropped. Its name is free afterwards. @returns whether there was one. */
  delete(name: string): boolean;
  /** Drops a world. Its name isn't free afterwards. */
  drop(name: string): void;
  usage(): WorldsUsage;
}

interface Entry {
  readonly world: HostedCore;
  usedAt: number;
  uses: number;
  /** Whether it differs from a new world. */
  isUsed: boolean;
  bytes: number;
  /** How many requests its journal had counted when `bytes` was last updated. */
  measuredAtTotal: number;
}

/** Names of dropped worlds to remember. The oldest one is forgotten, and its name is free again. */
const MAX_REMEMBERED = 100_000;
/** Requests to all worlds between two checks of their memory. */
const CHECK_EVERY_REQUESTS = 1024;

/** `permanent`: name of the world that is never dropped. */
export function createKeptWorlds(bounds: WorldBounds, permanent: string): KeptWorlds {
  const entries = new Map<string, Entry>();
  const droppedNames = new Set<string>();
  const budget: JournalBudget = createJournalBudget(bounds.journalBytes);
  let uses = 0;
  let bytes = 0;
  let dropped = 0;

  function updateBytes(name: string, entry: Entry): void {
    if (name === permanent) return;
    const now = entry.world.estimateBytes();
    bytes += now - entry.bytes;
    entry.bytes = now;
    entry.measuredAtTotal = entry.world.journal.total;
  }
  /** An estimate visits every publisher of a world, so a large world gets a new one only after many requests. */
  function enforceMemoryLimit(current: string): void {
    for (const [name, entry] of entries) {
      const since = Math.abs(entry.world.journal.total - entry.measuredAtTotal);
      if (since >= Math.max(CHECK_EVERY_REQUESTS, entry.bytes / 4096)) updateBytes(name, entry);
    }
    while (bytes > bounds.bytes && (thinOne() || dropOne(current))) {}
  }
  /** Frees memory without losing anything but speed. @returns false if no world has saved states to spare. */
  function thinOne(): boolean {
    const spare = [...entries].filter(
      ([name, { world }]) => name !== permanent && world.history.canThin,
    );
    const [oldest] = spare.sort(([, left], [, right]) => left.usedAt - right.usedAt);
    if (oldest === undefined) return false;
    const [name, entry] = oldest;
    entry.world.history.thin();
    updateBytes(name, entry);
    return true;
  }
  function isUsed(entry: Entry): boolean {
    entry.isUsed ||= entry.world.usage().publishersTouched > 0;
    return entry.isUsed;
  }
  /** @returns false if no world may be dropped. */
  function dropOne(...exceptNames: readonly (string | undefined)[]): boolean {
    let victim: string | undefined;
    let rank = Number.POSITIVE_INFINITY;
    for (const [name, entry] of entries) {
      if (name === permanent || exceptNames.includes(name)) continue;
      const own = entry.usedAt + (isUsed(entry) ? Number.MAX_SAFE_INTEGER / 2 : 0);
      if (own >= rank) continue;
      victim = name;
      rank = own;
    }
    if (victim === undefined) return false;
    if (entries.get(victim)?.isUsed) drop(victim);
    else remove(victim);
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
    const entry = entries.get(name);
    if (entry === undefined) return false;
    bytes -= entry.bytes;
    // Code may still hold the world. What it records from now on must not count against the shared budget.
    entry.world.journal.share(createJournalBudget(bounds.journalBytes));
    return entries.delete(name);
  }

  return {
    use(name) {
      const entry = entries.get(name);
      if (entry === undefined) return undefined;
      uses += 1;
      entry.usedAt = uses;
      entry.uses += 1;
      if (uses % CHECK_EVERY_REQUESTS === 0) enforceMemoryLimit(name);
      return entry.world;
    },
    peek: (name) => entries.get(name)?.world,
    uses: (name) => entries.get(name)?.uses ?? 0,
    names: () => [...entries.keys()],
    wasDropped: (name) => droppedNames.has(name),
    droppedNames: () => [...droppedNames],
    makeRoom(name, keepName) {
      // The permanent world counts even before it exists.
      const taken = entries.size + (entries.has(permanent) ? 0 : 1);
      return name === permanent || taken < bounds.maxWorlds || dropOne(keepName);
    },
    add(name, world) {
      world.journal.share(budget);
      uses += 1;
      const entry: Entry = {
        world,
        usedAt: uses,
        uses: 1,
        isUsed: false,
        bytes: 0,
        measuredAtTotal: 0,
      };
      entries.set(name, entry);
      droppedNames.delete(name);
      updateBytes(name, entry);
      enforceMemoryLimit(name);
    },
    markChanged(name) {
      const entry = entries.get(name);
      if (entry === undefined) return;
      entry.isUsed = true;
      updateBytes(name, entry);
      enforceMemoryLimit(name);
    },
    delete(name) {
      const wasThere = remove(name);
      return droppedNames.delete(name) || wasThere;
    },
    drop,
    usage: () => ({
      worlds: { count: entries.size, max: bounds.maxWorlds, dropped },
      memory: { bytes, limitBytes: bounds.bytes },
      journals: { bytes: budget.usedBytes(), limitBytes: bounds.journalBytes },
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
  const { worlds, memory, journals } = kept.usage();
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
      "adsim_world_bytes",
      "Estimated memory of all named worlds, in bytes.",
      memory.bytes,
    ),
    metric(
      "gauge",
      "adsim_world_bytes_limit",
      "The most memory that named worlds may take.",
      memory.limitBytes,
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
