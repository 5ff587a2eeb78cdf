/**
 * Many isolated worlds by name, which share only the options that they are made from. A path that begins with `/@NAME` belongs
 * to world NAME, any other to `default`. Beyond the maximum the least recently used world is dropped, and answers 410.
 */

import { InputError } from "../base/input.ts";
import { endOfName, isControlPath } from "../base/world-path.ts";
import { headerOf, type PlainRequest, plainRequest } from "../exchange/plain-request.ts";
import type { JournalEntry } from "../journal/entry.ts";
import type { ApiRequest, ApiResponse, FollowedResponse } from "../spec/messages.ts";
import { type MetricFamily, metric } from "../spec/metrics.ts";
import { createSimulatorCore, type HostedCore } from "./core.ts";
import type { Moment } from "./past.ts";
import type { Host } from "./running-world.ts";
import type { SimulatorOptions } from "./simulator-options.ts";

/** The world of a path without a name. It is never dropped, and its place is reserved before it exists. */
export const DEFAULT_WORLD = "default";
/** Names of dropped worlds to remember. The oldest one is forgotten, and its name is free again. */
const MAX_REMEMBERED = 10_000;

/** The worlds of one server. */
export interface Worlds {
  /**
   * The world with this name, created if it is new. If there are then too many worlds, the least recently used one is dropped.
   * @throws InputError for an invalid name, for a dropped world, and if there are too many worlds and none may be dropped.
   */
  get(name: string): HostedCore;
  /** The world with this name, if it exists. It isn't a use. */
  peek(name: string): HostedCore | undefined;
  /** In order of creation. */
  names(): string[];
  /** The names of worlds that were dropped, and haven't been freed since, oldest first. */
  droppedNames(): string[];
  /** How many worlds exist and how much their journals take, with the limits. */
  usage(): {
    readonly worlds: { readonly count: number; readonly max: number; readonly dropped: number };
    readonly journals: { readonly bytes: number; readonly limitBytes: number };
  };
  /**
   * A new world that starts from another one's state, now or at a moment of its past, with an empty journal.
   * @throws InputError for an invalid or taken name, if `from` doesn't exist, if the moment can't be rebuilt, and if there are
   * too many worlds. Nothing changes then.
   */
  fork(name: string, from: string, moment?: Moment): HostedCore;
  /** Deletes a world and frees its name. @returns whether it existed or was dropped before. */
  delete(name: string): boolean;
  /** Calls the observer before a world is reset, deleted or dropped. */
  observeEnds(observer: (name: string, world: HostedCore) => void): void;
  /** Whether a request to this path would create a world. The default world doesn't count, because its place is reserved. */
  wouldMake(path: string): boolean;
  /** Calls the observer with each exchange of every world, including worlds created later. See `Journal.observe`. */
  observe(observer: (world: string, entry: JournalEntry) => void): void;
  /** Counts over all worlds since the server started, and how much they hold now. */
  metrics(): MetricFamily[];
  /** Answers a request to the world that its path names; some requests of the control API later. Never throws because of its content. */
  begin(request: ApiRequest, client?: WaitingClient): MaybeLater<FollowedResponse>;
  /** The same, synchronously. @throws Error for an answer that is a promise. */
  handle(request: ApiRequest): ApiResponse;
}

export type MaybeLater<Value> = Value | Promise<Value>;

export interface WaitingClient {
  /** Whether it has left, so that nobody waits for the answer any more. */
  hasLeft(): boolean;
}

const staying: WaitingClient = { hasLeft: () => false };

/** A world that a path names. It need not exist yet: `open` creates it. */
export interface WorldRef {
  readonly name: string;
  /** The prefix of every path in this world: `/@NAME`, or empty. */
  readonly prefix: string;
  readonly worlds: Worlds;
  /** @throws InputError as {@link Worlds.get} does. */
  open(): HostedCore;
}

/** Answers the requests that don't go to a world's API. */
export interface WorldsControl {
  /** Answers a path that begins with `/_sim`, after the world's prefix was removed. */
  answer(request: PlainRequest, ref: WorldRef, client: WaitingClient): MaybeLater<FollowedResponse>;
  /** The response if the world is unavailable. */
  refusal(error: InputError): ApiResponse;
}

export interface WorldsOptions {
  /** The options of every world. */
  readonly options: SimulatorOptions;
  readonly host: Host;
  readonly control: WorldsControl;
  /** The default world, if there is one already. */
  readonly first?: HostedCore | undefined;
  /** @default 200 */
  readonly maxWorlds?: number | undefined;
  /** Most bytes that the journals of all worlds may take together. @default 268435456 */
  readonly journalBytes?: number | undefined;
}

export function createWorlds(settings: WorldsOptions): Worlds {
  const { options, host, control, first, maxWorlds = 200, journalBytes = 268_435_456 } = settings;
  const worlds = new Map<string, HostedCore>();
  /** Their names, the least recently used first. */
  const byUse = new Set<string>();
  const droppedNames = new Set<string>();
  let dropped = 0;
  const observers: Parameters<Worlds["observe"]>[0][] = [];
  const endObservers: Parameters<Worlds["observeEnds"]>[0][] = [];

  function get(name: string, mayBringBack = false): HostedCore {
    const world = worlds.get(name);
    if (world === undefined) {
      checkName(name, "world");
      if (droppedNames.has(name) && !mayBringBack) {
        throw new InputError("world", says.dropped(name), "gone");
      }
      makeRoom(name, "world");
      return add(name, createSimulatorCore(options, host));
    }
    byUse.delete(name);
    byUse.add(name);
    return world;
  }
  function makeRoom(name: string, field: string, keepName?: string): void {
    const taken = worlds.size + (worlds.has(DEFAULT_WORLD) ? 0 : 1);
    if (name === DEFAULT_WORLD || taken < maxWorlds) return;
    const oldest = [...byUse].find((one) => one !== DEFAULT_WORLD && one !== keepName);
    if (oldest === undefined) throw new InputError(field, says.full(maxWorlds), "conflict");
    remove(oldest);
    dropped += 1;
    droppedNames.add(oldest);
    const [forgotten = ""] = droppedNames;
    if (droppedNames.size > MAX_REMEMBERED) droppedNames.delete(forgotten);
  }
  function add(name: string, world: HostedCore): HostedCore {
    const { journal } = world;
    if (journal.capacity > 0) journal.follow(() => limitJournals(world));
    worlds.set(name, world);
    byUse.add(name);
    journal.beforeRestart = () => endObservers.forEach((tell) => void tell(name, world));
    for (const observer of observers) world.journal.observe((entry) => observer(name, entry));
    return world;
  }
  function remove(name: string): boolean {
    worlds.get(name)?.journal.beforeRestart();
    byUse.delete(name);
    return worlds.delete(name);
  }
  const sum = (of: (world: HostedCore) => number): number =>
    [...worlds.values()].reduce((total, world) => total + of(world), 0);
  const bytesOf = ({ journal, past }: HostedCore): number => journal.bytes + past.bytes;

  /** Drops the oldest entries of the largest journals, but never the only one of `recording`, which has just recorded it. */
  function limitJournals(recording: HostedCore): void {
    while (sum(bytesOf) > journalBytes) {
      let largest: HostedCore | undefined;
      for (const world of worlds.values()) {
        const canDrop = world.journal.kept > (world === recording ? 1 : 0);
        if (canDrop && bytesOf(world) > (largest ? bytesOf(largest) : 0)) largest = world;
      }
      if (largest === undefined) return;
      largest.journal.dropOldest();
      largest.past.forget();
    }
  }
  const isAbsent = (name: string): boolean =>
    name !== DEFAULT_WORLD && !worlds.has(name) && !droppedNames.has(name);

  function answerControl(request: PlainRequest, prefix: string, client: WaitingClient) {
    const name = worldOf(prefix);
    const isNew = !worlds.has(name);
    const open = (): HostedCore => {
      if (isAbsent(name) && headerOf(request.headers, "if-match") === "*") {
        throw new InputError("world", says.absent, "absent");
      }
      return get(name, replacing.includes(`${request.method} ${request.path}`));
    };
    const finish = (response: FollowedResponse): FollowedResponse => {
      // A refused request leaves no new world behind, unless others have used it meanwhile.
      if (response.status >= 400 && isNew && worlds.get(name)?.journal.total === 0) remove(name);
      if (worlds.has(name)) droppedNames.delete(name);
      return response;
    };
    const response = control.answer(request, { name, prefix, worlds: all, open }, client);
    return response instanceof Promise ? response.then(finish) : finish(response);
  }

  function begin(request: ApiRequest, client = staying): MaybeLater<FollowedResponse> {
    // Most requests. What follows reads the request twice.
    if (String(request?.path).startsWith("/v1/")) return get(DEFAULT_WORLD).handle(request);
    const sent = plainRequest(request);
    // A malformed request belongs to no particular world.
    if (sent.flaw !== undefined) return get(DEFAULT_WORLD).handle(request);
    const [, prefix = "", rest = ""] = /^(\/@[^/]*)?(.*)$/s.exec(sent.path) ?? [];
    const name = worldOf(prefix);
    const inWorld = { ...sent, path: rest || "/" };
    let world: HostedCore;
    try {
      checkName(name, "world");
      if (isControlPath(rest)) return answerControl(inWorld, prefix, client);
      world = get(name);
    } catch (error) {
      if (error instanceof InputError) return control.refusal(error);
      throw error;
    }
    return world.handle(prefix === "" ? request : inWorld);
  }

  const all: Worlds = {
    get: (name) => get(name),
    peek: (name) => worlds.get(name),
    names: () => [...worlds.keys()],
    droppedNames: () => [...droppedNames],
    usage: () => ({
      worlds: { count: worlds.size, max: maxWorlds, dropped },
      journals: { bytes: sum(bytesOf), limitBytes: journalBytes },
    }),
    fork(name, from, moment) {
      checkName(name, "name");
      const origin = worlds.get(from);
      if (origin === undefined) throw new InputError("from", says.noOrigin, "not-found");
      if (worlds.has(name)) throw new InputError("name", says.taken, "conflict");
      const forked = origin.fork(moment, host);
      makeRoom(name, "name", from);
      get(from);
      droppedNames.delete(name);
      return add(name, forked);
    },
    delete(name) {
      const wasThere = remove(name);
      return droppedNames.delete(name) || wasThere;
    },
    observeEnds: (observer) => void endObservers.push(observer),
    wouldMake: (path) => isAbsent(worldOf(path)),
    observe(observer) {
      observers.push(observer);
      for (const [name, { journal }] of worlds) journal.observe((entry) => observer(name, entry));
    },
    metrics() {
      const gauge = (name: string, help: string, value: number): MetricFamily =>
        metric("gauge", `adsim_${name}`, help, value);
      const impressions = sum((world) => world.usage().impressions);
      const entries = sum(({ journal }) => journal.kept);
      return [
        ...(host.meter?.families() ?? []),
        gauge("worlds", "Worlds that exist.", worlds.size),
        gauge("worlds_limit", "The most worlds that the server keeps.", maxWorlds),
        metric("counter", "adsim_worlds_dropped_total", "Worlds dropped to make room.", dropped),
        gauge("impressions_held", "Recorded impressions of all worlds.", impressions),
        gauge("journal_entries", "Entries in the journals of all worlds.", entries),
        gauge("journal_bytes", "Bytes of all journals and of copies for them.", sum(bytesOf)),
        gauge("journal_bytes_limit", "The most bytes that all journals may keep.", journalBytes),
      ];
    },
    begin,
    handle(request) {
      const response = begin(request);
      if (response instanceof Promise) throw new Error("This answer takes time: call begin.");
      return response;
    },
  };
  if (first !== undefined) add(DEFAULT_WORLD, first);
  return all;
}

/** Why there is no world. */
const says = {
  invalid:
    "must be 1 to 64 letters, digits, dots, underscores or hyphens, and not only dots, as in /@NAME/…",
  absent: "doesn't exist. Without the header If-Match: * this request would create it",
  noOrigin: "is not the name of an existing world",
  taken: "is taken by another world. Delete that world first, or choose another name",
  full: (maxWorlds: number) =>
    `can't be created: this server already has ${maxWorlds} worlds, its maximum. Use one of them, delete one (DELETE /_sim/worlds/NAME), or start the server with a larger maxWorlds (--max-worlds)`,
  dropped: (name: string) =>
    `was dropped: the server reached its limit of worlds, and this world was the least recently used. Start over with POST /@${name}/_sim/reset, free the name with DELETE /_sim/worlds/${name}, or start the server with a larger --max-worlds`,
};

/** Control requests that replace a world's whole state, so that they may bring back a dropped one. */
const replacing = ["POST /_sim/reset", "POST /_sim/scenarios/play", "PUT /_sim/snapshot"];

function checkName(name: string, field: string): void {
  // In addresses, browsers drop "." and "..", however they are written.
  if (/^(?!\.+$)[A-Za-z0-9._-]{1,64}$/.test(name)) return;
  throw new InputError(field, says.invalid);
}

/** The name of the world that a path belongs to. */
export function worldOf(path: string): string {
  return path.startsWith("/@") ? path.slice(2, endOfName(path)) : DEFAULT_WORLD;
}
