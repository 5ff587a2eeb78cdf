/** Where the page's data comes from: the control API of a server, or the recording in the page's own file. */

import type { Answers, Trace } from "../trace.ts";
import type { Change, Row } from "./contract.ts";

/** `ended`: the world is gone, or the server refuses. */
export type Connection = "connecting" | "live" | "reconnecting" | "ended" | "recorded";

/** Gets what happens in a world. */
export interface Listener {
  exchanges(rows: readonly Row[]): void;
  changes(changes: readonly Change[]): void;
  /** All rows so far are void. */
  restarted(): void;
  /** After each request. */
  connection(state: Connection): void;
  /** Why nothing more will come. */
  ended(why: Error): void;
}

export type Method = "POST" | "PUT" | "PATCH" | "DELETE";

export interface Source {
  readonly isFile: boolean;
  readonly world: string;
  /** The title of a file. */
  readonly title: string;
  /** What readers must know about a file, one sentence each. */
  readonly notes: readonly string[];
  /** The base URL of the world's API, for people to paste. */
  readonly baseUrl: string;
  /** Paths are relative to the world's `/_sim/`. Both throw a `Refusal`. */
  get<Value>(path: string): Promise<Value>;
  /** `body`: an object, or text that is JSON already. */
  send<Value>(method: Method, path: string, body?: object | string): Promise<Value>;
  /** Returns a function that stops it. */
  listen(listener: Listener): () => void;
  /** The address of this page for another world. */
  pageOf(world: string): string;
}

/** What the control API refused, in its own words. Status 0: the page itself refused. */
export class Refusal extends Error {
  readonly status: number;
  constructor(message: string, status = 0) {
    super(message);
    this.status = status;
  }
}

/** Its paths have no prefix. */
const DEFAULT_WORLD = "default";

const recorded = document.getElementById("trace")?.textContent;
const trace: Trace | undefined = recorded ? JSON.parse(recorded) : undefined;

/** `world`: for a file, which holds several; a server's page is about the world in its path. */
export function createSource(world: string | undefined): Source {
  return trace === undefined ? serverSource() : fileSource(trace, world ?? DEFAULT_WORLD);
}

function fileSource({ title, notes, shared, worlds }: Trace, world: string): Source {
  const own = Object.hasOwn(worlds, world) ? worlds[world] : undefined;
  const answers: Answers = { ...shared, ...own };
  const missing = own ? "This file doesn't have that." : `This file doesn't hold a world ${world}.`;
  return {
    ...{ isFile: true, world, title, notes, baseUrl: "" },
    async get<Value>(path: string): Promise<Value> {
      if (Object.hasOwn(answers, path)) return answers[path] as Value;
      throw new Refusal(missing);
    },
    send: () => Promise.reject(new Refusal("A file can't do that: it takes a server.")),
    listen(listener) {
      tell(listener, `${answers.events ?? ""}`);
      listener.connection("recorded");
      return () => undefined;
    },
    pageOf: (name) => `#${new URLSearchParams({ world: name })}`,
  };
}

/** Asks for what is below the world's `/_sim/`. @throws Refusal */
type Ask = (path: string, init?: RequestInit) => Promise<string>;

/** Behind a proxy, other parts may stand before the world's in the path. */
function serverSource(): Source {
  const [, root = "", prefix = ""] = /^(.*?)(\/@[^/]+)?\/_sim\/?$/.exec(location.pathname) ?? [];
  const world = prefix === "" ? DEFAULT_WORLD : decodeURIComponent(prefix.slice(2));
  const base = `${root}${prefix}/_sim/`;
  // The first request may create the world. After it a deleted world must not come again.
  const begun = fetch(`${base}health`).catch(() => undefined);
  const ask: Ask = async (path, init = {}) => {
    await begun;
    const headers = { ...init.headers, "if-match": "*" };
    const reply = await fetch(base + path, { ...init, headers }).catch(() => undefined);
    if (reply === undefined) throw new Refusal("The server doesn't answer. Is it still running?");
    const text = await reply.text();
    if (reply.ok) return text;
    throw new Refusal(reply.status === 412 ? goneText(world) : detailIn(text), reply.status);
  };
  return {
    ...{ isFile: false, world, title: "adsim", notes: [] },
    baseUrl: location.origin + root + prefix,
    get: async (path) => JSON.parse(await ask(path)),
    async send(method, path, body) {
      const sent = typeof body === "object" ? JSON.stringify(body) : body;
      const headers = { "content-type": "application/json" };
      const reply = await ask(path, { method, headers, body: sent ?? null });
      return reply === "" ? undefined : JSON.parse(reply);
    },
    listen: (listener) => follow(ask, listener),
    pageOf: (name) =>
      `${root}${name === DEFAULT_WORLD ? "" : `/@${encodeURIComponent(name)}`}/_sim/`,
  };
}

function goneText(world: string): string {
  return `World ${world} was deleted, or the server was restarted. Opening this page again creates a new world.`;
}

/** A proxy has its own errors, as text. */
function detailIn(error: string): string {
  const { title, detail } = error.startsWith("{") ? JSON.parse(error) : { title: error };
  return detail ?? title;
}

/**
 * Asks again and again for what has happened since. Unlike a stream this takes none of the six connections that a browser has to
 * a server, and no proxy holds it back.
 */
function follow(ask: Ask, listener: Listener): () => void {
  let isStopped = false;
  async function run(): Promise<void> {
    let last: HeadersInit = {};
    while (!isStopped) {
      try {
        const text = await ask("events?follow=false", { headers: last });
        if (isStopped) return;
        const id = tell(listener, text);
        if (id !== undefined) last = { "last-event-id": id };
        listener.connection("live");
      } catch (error) {
        // While a server starts again, its proxy answers 5xx.
        const isOver = error instanceof Refusal && error.status >= 400 && error.status < 500;
        listener.connection(isOver ? "ended" : "reconnecting");
        if (isOver) return listener.ended(error);
      }
      await new Promise((resolve) => setTimeout(resolve, document.hidden ? 2000 : 300));
    }
  }
  void run();
  return () => {
    isStopped = true;
  };
}

/** Returns the id of the last event of a finished stream. */
function tell(listener: Listener, stream: string): string | undefined {
  let last: string | undefined;
  for (const block of stream.split("\n\n")) {
    const [, id, type, data = ""] =
      /^id: ([^\n]*)\nevent: ([^\n]*)\ndata: ([^\n]*)$/.exec(block.trim()) ?? [];
    last = id ?? last;
    if (type === "restarted") listener.restarted();
    if (type === "changes") listener.changes(JSON.parse(data));
    if (type === "exchanges") listener.exchanges(JSON.parse(data));
  }
  return last;
}
