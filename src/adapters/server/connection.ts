/** What the server knows of a connection beyond Node. */

import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

export interface Connection {
  /** Counts the server's connections with a request, from 1; 0 before there is one. */
  number: number;
  /** How many bodies are on their way. */
  reading: number;
  /** The response to the latest request that came whole. */
  latest: ServerResponse | undefined;
  /** Whether an answer that is already decided ends the connection. The service must not see what follows. */
  isEnding: boolean;
  /** For each answer that a fault rule holds back: aborted when the connection closes. */
  readonly waiting: Set<AbortController>;
}

const known = new WeakMap<Duplex, Connection>();

export function connectionOf(socket: Duplex): Connection {
  const found = known.get(socket);
  if (found !== undefined) return found;
  const waiting = new Set<AbortController>();
  const connection = { number: 0, reading: 0, latest: undefined, isEnding: false, waiting };
  known.set(socket, connection);
  socket.once("close", () => {
    for (const one of waiting) one.abort();
  });
  return connection;
}

/** Calls `then` when all requests that came whole are answered. */
export function afterLatest({ latest }: Connection, then: () => void): void {
  if (latest === undefined || latest.writableFinished) then();
  else latest.once("finish", then);
}
