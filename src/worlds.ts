/**
 * Many isolated worlds by name. A path that begins with `/@NAME` belongs to world NAME, any other to `default`; a world
 * comes into being on first use. Nothing is shared between two worlds but the options that they are made from.
 */

import { InputError } from "./base/input.ts";
import type { ApiRequest, ApiResponse } from "./contract/messages.ts";
import type { MetricFamily } from "./contract/metrics.ts";
import { type PlainRequest, plainRequest } from "./exchange/plain-request.ts";
import type { LoggedExchange } from "./journal/logged-exchange.ts";
import type { Surroundings } from "./running-world.ts";
import { createSimulatorCore, type SimulatorCore } from "./simulator.ts";
import type { SimulatorOptions } from "./simulator-options.ts";

/** The world of a path without a name. */
export const DEFAULT_WORLD = "default";
/** How many worlds there can be, unless told otherwise. */
const DEFAULT_MAX_WORLDS = 1000;

/** The worlds of one server. */
export interface Worlds {
  /**
   * The world of this name, made if it is new.
   *
   * @throws InputError for a name that isn't 1 to 64 of `A-Z a-z 0-9 . _ -`, and for one world too many.
   */
  get(name: string): SimulatorCore;
  /** The worlds that are, in the order in which they came into being. */
  names(): string[];
  /** How many there can be. */
  readonly max: number;
  /**
   * A new world that goes on from where another one is, with an empty journal.
   *
   * @throws InputError for a name that can't be one or is taken, for `from` where there is no such world, and for one
   * world too many. Nothing changes then.
   */
  fork(name: string, from: string): SimulatorCore;
  /** Ends a world. Its name is free: the next use makes a new one. @returns whether there was one. */
  delete(name: string): boolean;
  /** Whether a request to this path would make a world. The default one doesn't count: it always has its place. */
  wouldMake(path: string): boolean;
  /** Calls the observer with each exchange of every world, those included that are made later. See `Journal.observe`. */
  observe(observer: WorldsObserver): void;
  /** What was counted in all worlds together since the server began, and what they hold now. */
  metrics(): MetricFamily[];
  /** Answers a request to the world that its path names, at once. Never throws for what a request holds. */
  handle(request: ApiRequest): ApiResponse;
}

/** Gets an exchange with the name of its world. */
export type WorldsObserver = (world: string, exchange: LoggedExchange) => void;

/** A world as a path names it. It need not exist yet: `open` makes it. */
export interface WorldPlace {
  readonly name: string;
  /** What the path of every request to this world begins with: `/@NAME`, or nothing. */
  readonly prefix: string;
  readonly worlds: Worlds;
  /** @throws InputError as {@link Worlds.get} does. */
  open(): SimulatorCore;
}

/** What answers where no world does. */
export interface WorldsControl {
  /** Answers a path that begins with `/_sim`, the world's prefix taken off. */
  answer(request: PlainRequest, place: WorldPlace): ApiResponse;
  /** Says that a world can't be had, and why. */
  refusal(error: InputError): ApiResponse;
}

export interface WorldsOptions {
  /** What every world is made from. */
  readonly options: SimulatorOptions;
  readonly surroundings: Surroundings;
  readonly control: WorldsControl;
  /** @default 1000 */
  readonly maxWorlds?: number | undefined;
}

const AT = 0x40;
const UNDERSCORE = 0x5f;

export function createWorlds(settings: WorldsOptions): Worlds {
  const { options, surroundings, control, maxWorlds = DEFAULT_MAX_WORLDS } = settings;
  const worlds = new Map<string, SimulatorCore>();
  const observers: WorldsObserver[] = [];
  const defaultPlace = placeOf(DEFAULT_WORLD, "");

  function placeOf(name: string, prefix: string): WorldPlace {
    return {
      name,
      prefix,
      get worlds() {
        return all;
      },
      open: () => get(name),
    };
  }
  function get(name: string): SimulatorCore {
    return worlds.get(name) ?? make(name);
  }
  function make(name: string): SimulatorCore {
    checkName(name, "world");
    checkRoom(name, "world");
    return add(name, createSimulatorCore(options, surroundings));
  }
  function add(name: string, world: SimulatorCore): SimulatorCore {
    worlds.set(name, world);
    for (const observer of observers) tell(observer, name, world);
    return world;
  }
  function tell(observer: WorldsObserver, name: string, world: SimulatorCore): void {
    world.journal.observe((exchange) => observer(name, exchange));
  }
  function fork(name: string, from: string): SimulatorCore {
    checkName(name, "name");
    const origin = worlds.get(from);
    if (origin === undefined) {
      throw new InputError("from", "is not the name of a world that there is", "not-found");
    }
    if (worlds.has(name)) {
      throw new InputError(
        "name",
        "is that of a world that there is already. Delete that one first, or choose another",
        "conflict",
      );
    }
    checkRoom(name, "name");
    return add(name, origin.fork());
  }
  function checkRoom(name: string, field: string): void {
    // The default world has its place, in use or not.
    const taken = worlds.has(DEFAULT_WORLD) ? worlds.size : worlds.size + 1;
    if (name === DEFAULT_WORLD || taken < maxWorlds) return;
    throw new InputError(
      field,
      `can't be made: there are ${maxWorlds} worlds, the most that this server keeps. Use one of them, delete one (DELETE /_sim/worlds/NAME), or start it with a larger maxWorlds (--max-worlds)`,
      "conflict",
    );
  }
  function answerControl(request: PlainRequest, place: WorldPlace): ApiResponse {
    const { name } = place;
    const isNew = !worlds.has(name);
    if (isNew) checkName(name, "world");
    const response = control.answer(request, place);
    // Who is refused changes nothing: no world comes of it either.
    if (isNew && response.status >= 400) worlds.delete(name);
    return response;
  }
  function handleNamed(request: PlainRequest): ApiResponse {
    const { path } = request;
    const end = endOfName(path);
    const name = path.slice(2, end);
    const rest = path.slice(end);
    const inWorld = { ...request, path: rest.startsWith("/") ? rest : `/${rest}` };
    try {
      if (isControlPath(inWorld.path)) {
        return answerControl(inWorld, placeOf(name, path.slice(0, end)));
      }
      return get(name).handle(inWorld);
    } catch (error) {
      if (error instanceof InputError) return control.refusal(error);
      throw error;
    }
  }

  const all: Worlds = {
    get,
    names: () => [...worlds.keys()],
    max: maxWorlds,
    fork,
    delete: (name) => worlds.delete(name),
    wouldMake(path) {
      if (path.charCodeAt(1) !== AT || !path.startsWith("/")) return false;
      const name = path.slice(2, endOfName(path));
      return name !== DEFAULT_WORLD && !worlds.has(name);
    },
    observe(observer) {
      observers.push(observer);
      for (const [name, world] of worlds) tell(observer, name, world);
    },
    metrics: () => [...(surroundings.meter?.families() ?? []), ...holdings(worlds)],
    handle(request) {
      const path = pathOf(request);
      const second = path.charCodeAt(1);
      if ((second === AT || second === UNDERSCORE) && path.startsWith("/")) {
        const sent = plainRequest(request);
        // What can't be a request is no world's in particular.
        if (sent.flaw !== undefined) return get(DEFAULT_WORLD).handle(request);
        if (second === AT) return handleNamed(sent);
        if (isControlPath(path)) return answerControl(sent, defaultPlace);
      }
      return get(DEFAULT_WORLD).handle(request);
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

function holdings(worlds: ReadonlyMap<string, SimulatorCore>): MetricFamily[] {
  let impressions = 0;
  let entries = 0;
  for (const { held, journal } of worlds.values()) {
    impressions += held().impressions;
    entries += journal.kept;
  }
  const gauge = (name: string, help: string, value: number): MetricFamily => ({
    name,
    help,
    type: "gauge",
    samples: [{ labels: {}, value }],
  });
  return [
    gauge("adsim_worlds", "Worlds that there are.", worlds.size),
    gauge("adsim_impressions_held", "Impressions in the books of all worlds.", impressions),
    gauge("adsim_journal_entries", "Entries in the journals of all worlds.", entries),
  ];
}

/** Where the name in `/@NAME…` ends. */
function endOfName(path: string): number {
  const after = path.slice(2).search(/[/?]/);
  return after === -1 ? path.length : after + 2;
}

function isControlPath(path: string): boolean {
  return path.startsWith("/_sim") && (path.length === 5 || path[5] === "/" || path[5] === "?");
}

/** The name of the world that a path belongs to, as it is written there. */
export function worldOf(path: string): string {
  return path.startsWith("/@") ? path.slice(2, endOfName(path)) : DEFAULT_WORLD;
}

/** Whether a path, its world's prefix included, belongs to the control API. */
export function isControlTarget(path: string): boolean {
  return isControlPath(path.startsWith("/@") ? path.slice(endOfName(path)) : path);
}
