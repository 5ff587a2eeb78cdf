/**
 * The worlds that a server keeps within its limits. If there are too many, or they hold too much, it drops one: an unused
 * one if there is one, else the least recently used. It remembers the name of a used one, so that a request to it gets 410
 * instead of a new world.
 */

import { createJournalBudget, type JournalBudget } from "../journal/budget.ts";
import { type MetricFamily, metric } from "../spec/metrics.ts";
import type { HostedCore } from "./simulator.ts";

/** What a server may keep. */
export interface WorldBounds {
  /** How many worlds, the one that is always kept included. */
  readonly maxWorlds: number;
  /** How many bytes the others may take together, their journals aside. */
  readonly bytes: number;
  /** How many bytes all journals may keep together. */
  readonly journalBytes: number;
}

/** Counts of the worlds that a server keeps, and of those that it dropped. */
export interface WorldsUsage {
  readonly worlds: { readonly count: number; readonly max: number; readonly dropped: number };
  /** `bytes`: about what all worlds but the one that is always kept take in memory, journals aside. */
  readonly memory: { readonly bytes: number; readonly limitBytes: number };
  readonly journals: { readonly bytes: number; readonly limitBytes: number };
}

export interface KeptWorlds {
  /** The world with this name. Using it is what keeps it. */
  use(name: string): HostedCore | undefined;
  /** The same without using it. */
  peek(name: string): HostedCore | undefined;
  /** How often it was used, its making included; 0 where there is none. */
  uses(name: string): number;
  /** In the order in which they came into being. */
  names(): string[];
  /** Whether the world with this name was used and let go of, and the name is not free again. */
  wasDropped(name: string): boolean;
  /** Makes room for one more world. `beside`: one that stays. @returns whether there is room now. */
  makeRoom(name: string, beside?: string): boolean;
  /** A world that is new, for which there is room. */
  add(name: string, world: HostedCore): void;
  /** A world was changed by hand. */
  markChanged(name: string): void;
  /** Ends a world; its name is free. The name of one that was let go of is free again, too. @returns whether there was one. */
  delete(name: string): boolean;
  /** Drops a world to make room. Its name isn't free afterwards. */
  drop(name: string): void;
  usage(): WorldsUsage;
}

interface Entry {
  readonly world: HostedCore;
  usedAt: number;
  uses: number;
  /** Whether anything happened in it that a new world wouldn't know of. */
  isUsed: boolean;
  bytes: number;
  /** How many requests it had answered when it was weighed. */
  measuredAtTotal: number;
}

/** The world that was let go of before so many others may come back unnoticed. */
const MAX_REMEMBERED = 100_000;
/** Requests to all worlds between two looks at what they hold. */
const CHECK_EVERY_REQUESTS = 1024;

export function createKeptWorlds(bounds: WorldBounds, always: string): KeptWorlds {
  const entries = new Map<string, Entry>();
  const droppedNames = new Set<string>();
  const budget: JournalBudget = createJournalBudget(bounds.journalBytes);
  let uses = 0;
  let bytes = 0;
  let dropped = 0;

  function estimateBytes(name: string, entry: Entry): void {
    if (name === always) return;
    const now = entry.world.estimateBytes();
    bytes += now - entry.bytes;
    entry.bytes = now;
    entry.measuredAtTotal = entry.world.journal.total;
  }
  /** Weighs what has grown. A world is weighed again only after as many requests as it has publishers to look at. */
  function enforceMemoryLimit(current: string): void {
    for (const [name, entry] of entries) {
      const since = Math.abs(entry.world.journal.total - entry.measuredAtTotal);
      if (since >= Math.max(CHECK_EVERY_REQUESTS, entry.bytes / 4096)) estimateBytes(name, entry);
    }
    while (bytes > bounds.bytes && dropOne(current)) {}
  }
  function isUsed(entry: Entry): boolean {
    entry.isUsed ||= entry.world.usage().publishersTouched > 0;
    return entry.isUsed;
  }
  /** @returns false where nothing may go. */
  function dropOne(...exceptNames: readonly (string | undefined)[]): boolean {
    let victim: string | undefined;
    let rank = Number.POSITIVE_INFINITY;
    for (const [name, entry] of entries) {
      if (name === always || exceptNames.includes(name)) continue;
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
    // Somebody may still hold it: what it records from now on is its own affair.
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
    makeRoom(name, beside) {
      // The one that is always kept has its place, there or not.
      const taken = entries.size + (entries.has(always) ? 0 : 1);
      return name === always || taken < bounds.maxWorlds || dropOne(beside);
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
      estimateBytes(name, entry);
      enforceMemoryLimit(name);
    },
    markChanged(name) {
      const entry = entries.get(name);
      if (entry === undefined) return;
      entry.isUsed = true;
      estimateBytes(name, entry);
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

/** What the worlds hold, as metrics. */
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
