/** The control API as this page calls it: over HTTP, or from the recording in the page's own file. */

import type { Engine, EngineRequest } from "../engine-worlds.ts";
import { createReader, eventsIn, type Listener, listenOverHttp } from "./events.ts";

type Reply = Pick<ReturnType<Engine["handle"]>, "status" | "body">;

/** Its paths have no prefix. */
const DEFAULT_WORLD = "default";

export interface Api {
  readonly world: string;
  readonly isRecorded: boolean;
  /** The title of a recording. */
  readonly title: string | undefined;
  /** Notes on the world's recording, one sentence each. */
  readonly notes: readonly string[];
  /** The base URL of the world's API, for people to paste. */
  readonly baseUrl: string;
  /** `path` is relative to the world's `/_sim/`. @throws Refusal */
  get<Value>(path: string): Promise<Value>;
  /** `body`: an object, or text that is JSON already. `signal`: gives the request up. @throws Refusal */
  send<Value>(
    method: Method,
    path: string,
    body?: object | string,
    signal?: AbortSignal,
  ): Promise<Value>;
  /** Returns how to stop. */
  listen(listener: Listener): () => void;
}

export type Method = "POST" | "PUT" | "PATCH" | "DELETE";

/** An action that the control API refused, in its own words. */
export class Refusal extends Error {
  readonly field: string | undefined;

  constructor(detail: string, field?: string) {
    super(detail);
    this.name = "Refusal";
    this.field = field;
  }
}

/** The world doesn't exist. */
class Gone extends Refusal {}

function goneMessage(world: string): string {
  return globalThis.adsimTrace === undefined
    ? `World ${world} was deleted, or the server was started anew. Opening this page again creates a new world.`
    : `This file doesn't hold a world ${world}. Worlds that are made in it are gone when it is opened again.`;
}

declare global {
  /** The recorded form: an engine in the page that answers like the server. */
  var adsimTrace: Engine | undefined;
}

/** The name of the world that the page's address names. */
export function servedWorld(path: string): string {
  return decodeURIComponent(/^\/@([^/]+)/.exec(path)?.[1] ?? DEFAULT_WORLD);
}

/** The address of this page for another world, at a place there. */
export function pageOf(world: string, place: Readonly<Record<string, string>> = {}): string {
  if (globalThis.adsimTrace !== undefined) return `#${new URLSearchParams({ world, ...place })}`;
  return `${prefixOf(world)}/_sim/#${new URLSearchParams(place)}`;
}

function prefixOf(world: string): string {
  return world === DEFAULT_WORLD ? "" : `/@${encodeURIComponent(world)}`;
}

/** `mustExist`: nothing that it asks creates the world. */
export function createApi(world: string, mustExist = false): Api {
  const engine = globalThis.adsimTrace;
  const prefix = prefixOf(world);
  const base = `${prefix}/_sim/`;
  let refresh: () => void = () => undefined;
  // Once it existed, a deleted world must not be created again.
  let isKnown = mustExist;
  let isGone = false;
  const noteGone = (error: unknown): void => {
    isGone = error instanceof Gone;
  };

  async function ask(
    method: string,
    path: string,
    body?: object | string,
    signal?: AbortSignal,
  ): Promise<Reply> {
    // Somebody may have made another world of this name since.
    if (isGone) throw new Gone(goneMessage(world));
    const sent = {
      method,
      path: base + path,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(isKnown ? { "if-match": "*" } : {}),
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "object" ? JSON.stringify(body) : body }),
    };
    const reply = engine === undefined ? await overHttp(sent, signal) : engine.handle(sent);
    if (reply.status === 412) throw new Gone(goneMessage(world));
    if (reply.status >= 400) throw refusalOf(reply);
    return reply;
  }

  return {
    world,
    isRecorded: engine !== undefined,
    title: engine?.title,
    notes: engine?.notes(world) ?? [],
    baseUrl: location.origin + prefix,
    get: async (path) => JSON.parse((await ask("GET", path)).body),
    async send(method, path, body, signal) {
      try {
        const reply = await ask(method, path, body, signal);
        return reply.body === "" ? undefined : JSON.parse(reply.body);
      } finally {
        refresh();
      }
    },
    listen(listener) {
      if (engine === undefined) {
        return listenOverHttp(`${base}events`, createReader(listener), (state) => {
          isKnown ||= state === "live";
          if (state === "ended") void ask("GET", "health").catch(noteGone);
          listener.connection(state);
        });
      }
      const read = createReader(listener);
      refresh = () => {
        const sent = { method: "GET", path: `${base}events`, headers: read.headers() };
        for (const event of eventsIn(engine.handle(sent).body)) read.event(event);
      };
      listener.connection("recorded");
      refresh();
      return () => {
        refresh = () => undefined;
      };
    },
  };
}

async function overHttp(
  { path, ...rest }: EngineRequest,
  signal: AbortSignal | undefined,
): Promise<Reply> {
  try {
    const response = await fetch(path, { ...rest, ...(signal !== undefined && { signal }) });
    return { status: response.status, body: await response.text() };
  } catch {
    throw new Refusal("The server doesn't answer. Is it still running?");
  }
}

function refusalOf({ status, body }: Reply): Refusal {
  try {
    const { title, detail, field } = JSON.parse(body);
    return new Refusal(detail ?? title ?? `The server answered ${status}.`, field);
  } catch {
    return new Refusal(`The server answered ${status}.`);
  }
}
