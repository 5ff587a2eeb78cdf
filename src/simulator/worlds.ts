/**
 * Many isolated worlds by name. A path that begins with `/@NAME` belongs to world NAME, any other to `default`. A world is
 * created on first use. Worlds share only the options that they are made from.
 */

import { InputError } from "../base/input.ts";
import { endOfName, isControlPath } from "../base/world-path.ts";
import { headerOf, type PlainRequest, plainRequest } from "../exchange/plain-request.ts";
import type { LoggedExchange } from "../journal/logged-exchange.ts";
import type { ApiRequest, ApiResponse, FollowedResponse } from "../spec/messages.ts";
import type { MetricFamily } from "../spec/metrics.ts";
import { createSimulatorCore } from "./core.ts";
import { createKeptWorlds, type WorldsUsage, worldMetrics } from "./kept-worlds.ts";
import type { Moment } from "./past.ts";
import type { Host } from "./running-world.ts";
import type { HostedCore } from "./simulator.ts";
import type { SimulatorOptions } from "./simulator-options.ts";

/** The world of a path without a name. */
export const DEFAULT_WORLD = "default";
const DEFAULT_MAX_WORLDS = 200;
const DEFAULT_JOURNAL_BYTES = 256 * 1024 * 1024;

/** The worlds of one server. */
export interface Worlds {
  /**
   * The world with this name, created if it is new. If there are then too many worlds, the least recently used one is dropped.
   *
   * @throws InputError for a name that is only dots, or isn't 1 to 64 of `A-Z a-z 0-9 . _ -`, for a world that was dropped,
   * and if there are too many worlds and none may be dropped.
   */
  get(name: string): HostedCore;
  /** The world with this name, if it exists. Doesn't count as a use. */
  peek(name: string): HostedCore | undefined;
  /** In order of creation. */
  names(): string[];
  /** The names of used worlds that were dropped, and haven't been freed since, oldest first. */
  droppedNames(): string[];
  /** How many worlds exist and how much their journals take, with the limits. */
  usage(): WorldsUsage;
  /**
   * A new world that starts from another one's state, now or at a moment of its past, with an empty journal.
   *
   * @throws InputError if `name` is invalid or taken, if the world `from` doesn't exist, if the moment can't be rebuilt, and
   * if there are too many worlds. Nothing changes then.
   */
  fork(name: string, from: string, moment?: Moment): HostedCore;
  /** Deletes a world and frees its name. @returns whether it existed or was dropped before. */
  delete(name: string): boolean;
  /** Whether a request to this path would create a world. The default world doesn't count, because its place is reserved. */
  wouldMake(path: string): boolean;
  /** Calls the observer with each exchange of every world, including worlds created later. See `Journal.observe`. */
  observe(observer: WorldsObserver): void;
  /** Counts over all worlds since the server started, and how much they hold now. */
  metrics(): MetricFamily[];
  /** Answers a request to the world that its path names; some requests of the control API later. Never throws because of its content. */
  begin(request: ApiRequest, client?: WaitingClient): MaybeLater<FollowedResponse>;
  /** The same, synchronously. @throws Error for an answer that is a promise. */
  handle(request: ApiRequest): ApiResponse;
}

/** A value, now or later. */
export type MaybeLater<Value> = Value | Promise<Value>;

export interface WaitingClient {
  /** Whether it has left, so that nobody waits for the answer any more. */
  hasLeft(): boolean;
}

/** Gets an exchange with the name of its world. */
export type WorldsObserver = (world: string, exchange: LoggedExchange) => void;

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

const NOT_THERE = "doesn't exist. Without the header If-Match: * this request would create it";

const AT = 0x40;
const UNDERSCORE = 0x5f;

export function createWorlds(settings: WorldsOptions): Worlds {
  const { options, host, control } = settings;
  const { maxWorlds = DEFAULT_MAX_WORLDS, journalBytes = DEFAULT_JOURNAL_BYTES } = settings;
  const kept = createKeptWorlds({ maxWorlds, journalBytes }, DEFAULT_WORLD);
  const observers: WorldsObserver[] = [];
  const defaultRef = worldRef(DEFAULT_WORLD, "");

  function worldRef(name: string, prefix: string): WorldRef {
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
  function fork(name: string, from: string, moment?: Moment): HostedCore {
    checkName(name, "name");
    const origin = kept.peek(from);
    if (origin === undefined) {
      throw new InputError("from", "is not the name of an existing world", "not-found");
    }
    if (kept.peek(name) !== undefined) {
      throw new InputError(
        "name",
        "is taken by another world. Delete that world first, or choose another name",
        "conflict",
      );
    }
    const forked = origin.forkCounted(moment);
    makeRoom(name, "name", from);
    kept.use(from);
    return add(name, forked);
  }
  function makeRoom(name: string, field: string, keepName?: string): void {
    if (kept.makeRoom(name, keepName)) return;
    throw new InputError(
      field,
      `can't be created: this server already has ${maxWorlds} worlds, its maximum. Use one of them, delete one (DELETE /_sim/worlds/NAME), or start the server with a larger maxWorlds (--max-worlds)`,
      "conflict",
    );
  }
  /** A refused request changes nothing, so the world that it created is removed again. */
  function answerControl(
    request: PlainRequest,
    ref: WorldRef,
    client: WaitingClient,
  ): MaybeLater<FollowedResponse> {
    const { name } = ref;
    const isNew = kept.peek(name) === undefined;
    const wasDropped = kept.wasDropped(name);
    // A request that replaces the state may reuse the name of a dropped world.
    if (wasDropped && replacesState(request)) kept.delete(name);
    let opened: HostedCore | undefined;
    const open = (): HostedCore => {
      const isAbsent = kept.peek(name) === undefined && !kept.wasDropped(name);
      if (isAbsent && name !== DEFAULT_WORLD && headerOf(request.headers, "if-match") === "*") {
        throw new InputError("world", NOT_THERE, "absent");
      }
      opened = ref.open();
      return opened;
    };
    const finish = (response: FollowedResponse): FollowedResponse => {
      // The world stays if others used it meanwhile.
      const isUsed = opened !== undefined && opened.journal.total > 0;
      if (response.status < 400 || kept.peek(name) !== opened || isUsed) return response;
      if (isNew) kept.delete(name);
      if (wasDropped) kept.drop(name);
      return response;
    };
    const response = control.answer(request, { ...ref, open }, client);
    return response instanceof Promise ? response.then(finish) : finish(response);
  }
  function begin(
    request: ApiRequest,
    client: WaitingClient = { hasLeft: () => false },
  ): MaybeLater<FollowedResponse> {
    const path = pathOf(request);
    const second = path.charCodeAt(1);
    if ((second === AT || second === UNDERSCORE) && path.startsWith("/")) {
      const sent = plainRequest(request);
      // A malformed request belongs to no particular world.
      if (sent.flaw !== undefined) return get(DEFAULT_WORLD).handle(request);
      if (second === AT) return beginNamed(sent, client);
      if (isControlPath(path)) return answerControl(sent, defaultRef, client);
    }
    return get(DEFAULT_WORLD).handle(request);
  }
  function beginNamed(request: PlainRequest, client: WaitingClient): MaybeLater<FollowedResponse> {
    const { path } = request;
    const end = endOfName(path);
    const name = path.slice(2, end);
    const rest = path.slice(end);
    const inWorld = { ...request, path: rest.startsWith("/") ? rest : `/${rest}` };
    try {
      if (!isControlPath(inWorld.path)) return get(name).handle(inWorld);
      checkName(name, "world");
      return answerControl(inWorld, worldRef(name, path.slice(0, end)), client);
    } catch (error) {
      if (error instanceof InputError) return control.refusal(error);
      throw error;
    }
  }

  if (settings.first !== undefined) add(DEFAULT_WORLD, settings.first);

  const all: Worlds = {
    get,
    peek: kept.peek,
    names: kept.names,
    droppedNames: kept.droppedNames,
    usage: kept.usage,
    fork,
    delete: kept.delete,
    wouldMake(path) {
      const name = worldOf(path);
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
      if (response instanceof Promise) throw new Error("This answer takes time: call begin.");
      return response;
    },
  };
  return all;
}

/** The path of a request; empty if it can't be read. */
function pathOf(request: ApiRequest): string {
  try {
    const { path } = request;
    return typeof path === "string" ? path : "";
  } catch {
    return "";
  }
}

function checkName(name: string, field: string): void {
  // In addresses, browsers drop "." and "..", however they are written.
  if (/^(?!\.+$)[A-Za-z0-9._-]{1,64}$/.test(name)) return;
  throw new InputError(
    field,
    "must be 1 to 64 letters, digits, dots, underscores or hyphens, and not only dots, as in /@NAME/…",
  );
}

/** Whether a control request replaces a world's whole state, so that the world need not exist before. */
function replacesState({ method, path }: PlainRequest): boolean {
  return (
    (method === "POST" && /^\/_sim\/(?:reset|scenarios\/play)$/.test(path)) ||
    (method === "PUT" && path === "/_sim/snapshot")
  );
}

function droppedMessage(name: string): string {
  return `was dropped: the server reached its limit of worlds, and this world was the least recently used. Start over with POST /@${name}/_sim/reset, free the name with DELETE /_sim/worlds/${name}, or start the server with a larger --max-worlds`;
}

/** The name of the world that a path belongs to. */
export function worldOf(path: string): string {
  return path.startsWith("/@") ? path.slice(2, endOfName(path)) : DEFAULT_WORLD;
}
