/** What the server knows of a connection beyond Node. */

import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

export interface Connection {
  /** Unique in the process. */
  readonly number: number;
  /** How many bodies are on their way. */
  reading: number;
  /** The response to the latest request that came whole. */
  latest: ServerResponse | undefined;
  /** Whether an answer that is already decided ends the connection. The service must not see what follows. */
  isEnding: boolean;
  /** Aborted when the connection closes. */
  readonly leaving: AbortController;
}

const known = new WeakMap<Duplex, Connection>();
let count = 0;

export function connectionOf(socket: Duplex): Connection {
  const found = known.get(socket);
  if (found !== undefined) return found;
  count += 1;
  const leaving = new AbortController();
  const connection = { number: count, reading: 0, latest: undefined, isEnding: false, leaving };
  known.set(socket, connection);
  socket.once("close", () => leaving.abort());
  return connection;
}
