/** The connections of a server. A client that holds many silent connections must not lock others out. */

import type { Socket } from "node:net";
import { latestResponse } from "./node-requests.ts";

export interface Connections extends Iterable<Socket> {
  /** @returns whether it is a new one. */
  add(socket: Socket): boolean;
}

/** How many more are accepted while none can be closed, so that the control API stays reachable. */
export const RESERVED_CONNECTIONS = 100;

/** Beyond `most` connections, each new one replaces one that isn't waiting for an answer. */
export function createConnections(most: number): Connections {
  const all = new Set<Socket>();
  /** Connections that had sent no request at the last look. The oldest comes first, as in `all`. */
  const silent = new Set<Socket>();

  /**
   * Closes the oldest silent connection if many are silent. If only a few are, they may have just arrived: then it closes the
   * oldest connection that is idle or in the middle of a request. If there is none, it closes nothing until the reserve is full.
   */
  function makeRoom(newest: Socket): void {
    const oldest = oldestSilent(newest);
    const victim =
      silent.size > most / 4 ? oldest : (oldestIdle() ?? (isReserveFull() ? oldest : undefined));
    if (victim === undefined) return;
    silent.delete(victim);
    victim.destroy();
  }

  function oldestSilent(newest: Socket): Socket | undefined {
    for (const socket of silent) {
      if (latestResponse(socket) === undefined) return socket === newest ? undefined : socket;
      silent.delete(socket);
    }
    return undefined;
  }

  function oldestIdle(): Socket | undefined {
    for (const socket of all) if (isIdle(socket)) return socket;
    return undefined;
  }

  const isReserveFull = (): boolean => all.size >= most + RESERVED_CONNECTIONS;

  return {
    add(socket) {
      // An upgrade that was ignored brings a connection here again.
      if (all.has(socket)) return false;
      all.add(socket);
      silent.add(socket);
      socket.once("close", () => {
        all.delete(socket);
        silent.delete(socket);
      });
      if (all.size > most) makeRoom(socket);
      return true;
    },
    [Symbol.iterator]: () => all.values(),
  };
}

/** Whether the latest request on a connection is answered, or hasn't arrived whole. */
function isIdle(socket: Socket): boolean {
  const latest = latestResponse(socket);
  if (latest === undefined || socket.destroyed) return false;
  return latest.writableFinished || !latest.req.complete;
}
