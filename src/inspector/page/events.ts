/** What happens in a world, as the page hears of it. */

import type { Change, Row } from "./contract.ts";

/** `ended`: the server refused, or the world is gone. */
export type Connection = "connecting" | "live" | "reconnecting" | "ended" | "recorded";

/** Gets what happens in a world. */
export interface Listener {
  exchanges(rows: readonly Row[]): void;
  changes(changes: readonly Change[]): void;
  /** The journal no longer has the rows up to this sequence. */
  forgotten(through: number): void;
  /** All rows so far are void. */
  restarted(): void;
  connection(state: Connection): void;
}

interface ServerEvent {
  readonly type: string;
  readonly id: string;
  readonly data: string;
}

export interface EventReader {
  event(event: ServerEvent): void;
  /** What to send with the next question, so that the answer goes on from here. */
  headers(): Readonly<Record<string, string>>;
}

export function createReader(listener: Listener): EventReader {
  let last = "";
  return {
    headers: () => (last === "" ? {} : { "last-event-id": last }),
    event({ type, id, data }) {
      last = id;
      if (type === "restarted") listener.restarted();
      if (type === "forgotten") listener.forgotten(JSON.parse(data).through);
      if (type === "exchanges") listener.exchanges(JSON.parse(data));
      if (type === "changes") listener.changes(JSON.parse(data));
    },
  };
}

/** The events of a finished stream. */
export function eventsIn(stream: string): ServerEvent[] {
  return stream
    .split("\n\n")
    .map((block) => {
      const event = { type: "", id: "", data: "" };
      for (const line of block.split("\n")) {
        const [, name = "", value = ""] = /^(event|id|data): ?(.*)$/s.exec(line) ?? [];
        if (name === "event") event.type = value;
        if (name === "id") event.id = value;
        if (name === "data") event.data += value;
      }
      return event;
    })
    .filter(({ type }) => type !== "");
}

/** Returns how to stop. */
export function listenOverHttp(
  url: string,
  read: EventReader,
  connection: Listener["connection"],
): () => void {
  let isStopped = false;
  let stop = (): void => {
    isStopped = true;
  };
  void freeStream().then((release) => {
    if (isStopped) release?.();
    else if (release === undefined) stop = ask(url, read, connection);
    else {
      const end = follow(url, read, connection);
      stop = () => {
        end();
        release();
      };
    }
  });
  return () => stop();
}

/** A browser has six connections to a server. So many of its pages may keep one; the others ask again and again. */
const MAX_STREAMS = 3;

/** Takes one of the streams that this browser may have. Returns how to give it back; undefined if none is free. */
async function freeStream(): Promise<(() => void) | undefined> {
  const { locks } = navigator;
  // Browsers have locks only on this machine and over https.
  if (locks === undefined) return () => undefined;
  for (let place = 1; place <= MAX_STREAMS; place += 1) {
    const release = await new Promise<(() => void) | undefined>((resolve) => {
      void locks.request(`adsim-stream-${place}`, { ifAvailable: true }, (lock) =>
        lock === null ? resolve(undefined) : new Promise<void>((done) => resolve(done)),
      );
    });
    if (release !== undefined) return release;
  }
  return undefined;
}

function follow(url: string, read: EventReader, connection: Listener["connection"]): () => void {
  const source = new EventSource(url);
  let wasOpen = false;
  source.onopen = () => {
    wasOpen = true;
    connection("live");
  };
  let stop = (): void => source.close();
  source.onerror = () => {
    // After a broken connection the browser tries again by itself, and says what it got last.
    if (source.readyState !== EventSource.CLOSED) connection("reconnecting");
    // The server has no stream left, or the world is gone: its answer says which.
    else stop = ask(url, read, connection, wasOpen);
  };
  for (const type of ["exchanges", "changes", "forgotten", "restarted"]) {
    source.addEventListener(type, ({ data, lastEventId }) =>
      read.event({ type, id: lastEventId, data }),
    );
  }
  return () => stop();
}

const ASK_EVERY_MS = 500;

/**
 * Asks again and again for what has happened since, as an EventSource would after each break. `isKnown`: the world was there, so
 * asking must not create it.
 */
function ask(
  url: string,
  read: EventReader,
  connection: Listener["connection"],
  isKnown = false,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  let last: Connection = "connecting";
  const tell = (state: Connection): void => {
    if (state !== last) connection(state);
    last = state;
  };
  async function askAgain(): Promise<void> {
    try {
      const match = isKnown || last !== "connecting" ? { "if-match": "*" } : {};
      const headers = { ...read.headers(), ...match };
      const response = await fetch(`${url}?follow=false`, { headers });
      // A proxy says so while the server starts again.
      if (response.status >= 500) tell("reconnecting");
      else if (response.status !== 200) return tell("ended");
      else {
        for (const event of eventsIn(await response.text())) read.event(event);
        tell("live");
      }
    } catch {
      tell("reconnecting");
    }
    if (!isStopped) timer = setTimeout(() => void askAgain(), ASK_EVERY_MS);
  }
  void askAgain();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
