/** Closes idle connections without a timer for each request. */

import type { Socket } from "node:net";

/**
 * A connection that is idle for this long is closed within twice as long, in milliseconds. Clients mostly keep idle ones
 * below a minute, and it should be them who close: a server that does makes a client's next request fail now and then.
 */
export const IDLE_MS = 65_000;

/** Closes the connections that brought nothing since it was called last. An answer never takes that long. */
export function sweeper(sockets: Iterable<Socket>): () => void {
  const readBefore = new WeakMap<Socket, number>();
  return () => {
    for (const socket of sockets) {
      if (readBefore.get(socket) === socket.bytesRead) socket.destroy();
      else readBefore.set(socket, socket.bytesRead);
    }
  };
}
