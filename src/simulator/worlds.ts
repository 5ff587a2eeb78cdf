/**
 * Many isolated worlds by name. A path that begins with `/@NAME` belongs to world NAME, any other to `default`; a world
 * comes into being on first use. Nothing is shared between two worlds but the options that they are made from.
 */

import { InputError } from "../base/input.ts";
import { endOfName, isControlPath } from "../base/world-path.ts";
import { type PlainRequest, plainRequest } from "../exchange/plain-request.ts";
import type { LoggedExchange } from "../journal/logged-exchange.ts";
import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import type { MetricFamily } from "../spec/metrics.ts";
import { inOnePiece, isWork, type LongResponse, runToEnd, type Work } from "../spec/work.ts";
import { createKeptWorlds, type WorldsUsage, worldMetrics } from "./kept-worlds.ts";
import type { Host } from "./running-world.ts";
import { createSimulatorCore, type HostedCore } from "./simulator.ts";
import type { SimulatorOptions } from "./simulator-options.ts";

/** The world of a path without a name. */
export const DEFAULT_WORLD = "default";
const DEFAULT_MAX_WORLDS = 1000;
const DEFAULT_WORLD_BYTES: number = 512 * 1024 * 1024;
const DEFAULT_JOURNAL_BYTES: number = 128 * 1024 * 1024;

/** The worlds of one server. */
export interface Worlds {
  /**
   * The world of this name, created if it is new. If there are then too many worlds, or they take too much memory, one is
   * dropped: an unused one if there is one, else the least recently used.
   *
   * @throws InputError for a name that isn't 1 to 64 of `A-Z a-z 0-9 . _ -`, for one world too many if none may be dropped,
   * and for a world that was dropped.
   */
  get(name: string): HostedCore;
  /** The same to look at only, where there is one. */
  peek(name: string): HostedCore | undefined;
  /** The worlds that are, in the order in which they came into being. */
  names(): string[];
  /** How many worlds there are and what they hold, beside the bounds. */
  usage(): WorldsUsage;
  /**
   * A new world that goes on from where another one is, with an empty journal.
   *
   * @throws InputError for a name that can't be one or is taken, for `from` where there is no such world, and for one
   * world too many. Nothing changes then.
   */
  fork(name: string, from: string): HostedCore;
  /** Ends a world. Its name is free: the next use makes a new one. @returns whether there was one, or had to go. */
  delete(name: string): boolean;
  /** Whether a request to this path would make a world. The default one doesn't count: it always has its place. */
  wouldMake(path: string): boolean;
  /** Calls the observer with each exchange of every world, those included that are made later. See `Journal.observe`. */
  observe(observer: WorldsObserver): void;
  /** What was counted in all worlds together since the server began, and what they hold now. */
  metrics(): MetricFamily[];
  /** Answers a request to the world that its path names, at once. Never throws for what a request holds. */
  handle(request: ApiRequest): ApiResponse;
  /** The same; what the control API is asked may take long. */
  begin(request: ApiRequest): ApiResponse | Work<LongResponse>;
}

/** Gets an exchange with the name of its world. */
export type WorldsObserver = (world: string, exchange: LoggedExchange) => void;

/** A world as a path names it. It need not exist yet: `open` makes it. */
export interface WorldRef {
  readonly name: string;
  /** What the path of every request to this world begins with: `/@NAME`, or nothing. */
  readonly prefix: string;
  readonly worlds: Worlds;
  /** @throws InputError as {@link Worlds.get} does. */
  open(): HostedCore;
}

/** What answers where no world does. */
export interface WorldsControl {
  /** Answers a path that begins with `/_sim`, the world's prefix taken off. */
  answer(request: PlainRequest, place: WorldRef): Work<LongResponse>;
  /** Says that a world can't be had, and why. */
  refusal(error: InputError): ApiResponse;
}

export interface WorldsOptions {
  /** What every world is made from. Its `journalBytes` bounds the journals of all worlds together. @default 134217728 */
  readonly options: SimulatorOptions;
  readonly host: Host;
  readonly control: WorldsControl;
  /** @default 1000 */
  readonly maxWorlds?: number | undefined;
  /** About how many bytes all worlds but the default one may take, journals aside. @default 536870912 */
  readonly worldBytes?: number | undefined;
}

const AT = 0x40;
const UNDERSCORE = 0x5f;

export function createWorlds(settings: WorldsOptions): Worlds {
  const { options, host, control } = settings;
  const { maxWorlds = DEFAULT_MAX_WORLDS, worldBytes = DEFAULT_WORLD_BYTES } = settings;
  const { journalBytes = DEFAULT_JOURNAL_BYTES } = options;
  const kept = createKeptWorlds(
    { maxWorlds: maxWorlds, bytes: worldBytes, journalBytes },
    DEFAULT_WORLD,
  );
  const observers: WorldsObserver[] = [];
  const defaultPlace = placeOf(DEFAULT_WORLD, "");

  function placeOf(name: string, prefix: string): WorldRef {
    return {
      name,
      prefix,
      get worlds() {
        return all;
      },
      open: () => get(name),
    };
  }
  function get(name: string): HostedCore {
    return kept.use(name) ?? make(name);
  }
  function make(name: string): HostedCore {
    checkName(name, "world");
    if (kept.wasDropped(name)) throw new InputError("world", droppedMessage(name), "gone");
    makeRoom(name, "world");
    return add(name, createSimulatorCore(options, host));
  }
  function add(name: string, world: HostedCore): HostedCore {
    kept.add(name, world);
    for (const observer of observers) subscribe(observer, name, world);
    return world;
  }
  function subscribe(observer: WorldsObserver, name: string, world: HostedCore): void {
    world.journal.observe((exchange) => observer(name, exchange));
  }
  function fork(name: string, from: string): HostedCore {
    checkName(name, "name");
    const origin = kept.peek(from);
    if (origin === undefined) {
      throw new InputError("from", "is not the name of a world that there is", "not-found");
    }
    if (kept.peek(name) !== undefined) {
      throw new InputError(
        "name",
        "is that of a world that there is already. Delete that one first, or choose another",
        "conflict",
      );
    }
    makeRoom(name, "name", from);
    kept.use(from);
    const world = add(name, origin.forkCounted());
    kept.markChanged(name);
    return world;
  }
  function makeRoom(name: string, field: string, beside?: string): void {
    if (kept.makeRoom(name, beside)) return;
    throw new InputError(
      field,
      `can't be made: there are ${maxWorlds} worlds, the most that this server keeps. Use one of them, delete one (DELETE /_sim/worlds/NAME), or start it with a larger maxWorlds (--max-worlds)`,
      "conflict",
    );
  }
  /** A request that is given up, or refused, changes nothing: no world comes of it either. */
  function* answerControl(request: PlainRequest, place: WorldRef): Work<LongResponse> {
    const { name } = place;
    const isNew = kept.peek(name) === undefined;
    const wasDropped = kept.wasDropped(name);
    // What is about to be replaced need not be told that it went.
    if (wasDropped && replacesState(request)) kept.delete(name);
    let isDone = false;
    let opened: HostedCore | undefined;
    let uses = 0;
    const open = (): HostedCore => {
      opened = place.open();
      uses += 1;
      return opened;
    };
    try {
      const response = yield* control.answer(request, { ...place, open });
      isDone = response.status < 400;
      if (isDone && !/^(?:GET|HEAD)$/.test(request.method)) kept.markChanged(name);
      return response;
    } finally {
      // Others may have used the world meanwhile, or made another of this name: then it stays.
      const isOwn = kept.peek(name) === opened && kept.uses(name) === uses;
      if (isNew && !isDone && isOwn) kept.delete(name);
      if (wasDropped && !isDone && isOwn) kept.drop(name);
    }
  }
  function begin(request: ApiRequest): ApiResponse | Work<LongResponse> {
    const path = pathOf(request);
    const second = path.charCodeAt(1);
    if ((second === AT || second === UNDERSCORE) && path.startsWith("/")) {
      const sent = plainRequest(request);
      // What can't be a request is no world's in particular.
      if (sent.flaw !== undefined) return get(DEFAULT_WORLD).handle(request);
      if (second === AT) return beginNamed(sent);
      if (isControlPath(path)) return answerControl(sent, defaultPlace);
    }
    return get(DEFAULT_WORLD).handle(request);
  }
  function beginNamed(request: PlainRequest): ApiResponse | Work<LongResponse> {
    const { path } = request;
    const end = endOfName(path);
    const name = path.slice(2, end);
    const rest = path.slice(end);
    const inWorld = { ...request, path: rest.startsWith("/") ? rest : `/${rest}` };
    try {
      if (!isControlPath(inWorld.path)) return get(name).handle(inWorld);
      checkName(name, "world");
      return answerControl(inWorld, placeOf(name, path.slice(0, end)));
    } catch (error) {
      if (error instanceof InputError) return control.refusal(error);
      throw error;
    }
  }

  const all: Worlds = {
    get,
    peek: kept.peek,
    names: kept.names,
    usage: kept.usage,
    fork,
    delete: kept.delete,
    wouldMake(path) {
      if (path.charCodeAt(1) !== AT || !path.startsWith("/")) return false;
      const name = path.slice(2, endOfName(path));
      return name !== DEFAULT_WORLD && kept.peek(name) === undefined && !kept.wasDropped(name);
    },
    observe(observer) {
      observers.push(observer);
      for (const name of kept.names()) {
        const world = kept.peek(name);
        if (world !== undefined) subscribe(observer, name, world);
      }
    },
    metrics: () => [...(host.meter?.families() ?? []), ...worldMetrics(kept)],
    begin,
    handle(request) {
      const response = begin(request);
      return isWork(response) ? inOnePiece(runToEnd(response)) : response;
    },
  };
  return all;
}

/** The path of a request, where it has one. */
function pathOf(request: ApiRequest): string {
  try {
    const { path } = request;
    return typeof path === "string" ? path : "";
  } catch {
    return "";
  }
}

function checkName(name: string, field: string): void {
  if (/^[A-Za-z0-9._-]{1,64}$/.test(name)) return;
  throw new InputError(
    field,
    "must be named by 1 to 64 letters, digits, dots, underscores and hyphens: /@NAME/…",
  );
}

/** Whether a control request takes the place of all that a world is, so that it need not be there before. */
function replacesState({ method, path }: PlainRequest): boolean {
  return (
    (method === "POST" && /^\/_sim\/(?:reset|scenarios\/play)$/.test(path)) ||
    (method === "PUT" && path === "/_sim/snapshot")
  );
}

function droppedMessage(name: string): string {
  return `was dropped: the server reached its limit of worlds or memory, and this world was the least recently used. Start anew with POST /@${name}/_sim/reset, free the name with DELETE /_sim/worlds/${name}, or start the server with a larger --max-worlds or --world-bytes`;
}

/** The name of the world that a path belongs to, as it is written there. */
export function worldOf(path: string): string {
  return path.startsWith("/@") ? path.slice(2, endOfName(path)) : DEFAULT_WORLD;
}
