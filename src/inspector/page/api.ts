/** The control API as this page calls it: over HTTP, or from the recording in the page's own file. */

import type { Answers, Trace } from "../trace.ts";
import { createReader, eventsIn, type Listener, listenOverHttp } from "./events.ts";
import { recording } from "./recording.ts";

interface Reply {
  readonly status: number;
  readonly body: string;
}

/** Its paths have no prefix. */
export const DEFAULT_WORLD = "default";

export interface Api {
  readonly world: string;
  readonly isRecorded: boolean;
  /** The title of a recording. */
  readonly title: string | undefined;
  /** What to know about a recording, one sentence each. */
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

/** The name of the world that the page's address names. */
export function servedWorld(path: string): string {
  return decodeURIComponent(/^\/@([^/]+)/.exec(path)?.[1] ?? DEFAULT_WORLD);
}

/** The address of this page for another world, at a place there. */
export function pageOf(world: string, place: Readonly<Record<string, string>> = {}): string {
  if (recording !== undefined) return `#${new URLSearchParams({ world, ...place })}`;
  return `${prefixOf(world)}/_sim/#${new URLSearchParams(place)}`;
}

function prefixOf(world: string): string {
  return world === DEFAULT_WORLD ? "" : `/@${encodeURIComponent(world)}`;
}

/** `mustExist`: nothing that it asks creates the world. */
export function createApi(world: string, mustExist = false): Api {
  return recording === undefined ? serverApi(world, mustExist) : recordedApi(recording, world);
}

function recordedApi({ title, notes, shared, worlds }: Trace, world: string): Api {
  const own = Object.hasOwn(worlds, world) ? worlds[world] : undefined;
  const answers: Answers = { ...shared, ...own };
  return {
    world,
    isRecorded: true,
    title,
    notes,
    baseUrl: "",
    async get<Value>(path: string): Promise<Value> {
      // A server's answer to the same path.
      if (Object.hasOwn(answers, path)) return answers[path] as Value;
      throw new Refusal(
        own !== undefined
          ? "This file doesn't have that: see what it says about itself above."
          : `This file doesn't hold a world ${world}.`,
      );
    },
    send: () => Promise.reject(new Refusal("A file can't do that: it takes a server.")),
    listen(listener) {
      const read = createReader(listener);
      listener.connection("recorded");
      for (const event of eventsIn(`${answers.events ?? ""}`)) read.event(event);
      return () => undefined;
    },
  };
}

function serverApi(world: string, mustExist: boolean): Api {
  const prefix = prefixOf(world);
  const base = `${prefix}/_sim/`;
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
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(isKnown ? { "if-match": "*" } : {}),
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "object" ? JSON.stringify(body) : body }),
      ...(signal !== undefined && { signal }),
    };
    const reply = await overHttp(base + path, sent);
    if (reply.status === 412) throw new Gone(goneMessage(world));
    if (reply.status >= 400) throw refusalOf(reply);
    return reply;
  }

  return {
    world,
    isRecorded: false,
    title: undefined,
    notes: [],
    baseUrl: location.origin + prefix,
    get: async (path) => JSON.parse((await ask("GET", path)).body),
    async send(method, path, body, signal) {
      const reply = await ask(method, path, body, signal);
      return reply.body === "" ? undefined : JSON.parse(reply.body);
    },
    listen: (listener) =>
      listenOverHttp(`${base}events`, createReader(listener), (state) => {
        isKnown ||= state === "live";
        if (state === "ended") void ask("GET", "health").catch(noteGone);
        listener.connection(state);
      }),
  };
}

function goneMessage(world: string): string {
  return `World ${world} was deleted, or the server was started anew. Opening this page again creates a new world.`;
}

async function overHttp(path: string, sent: RequestInit): Promise<Reply> {
  try {
    const response = await fetch(path, sent);
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
