/**
 * The connections of a server: how many there can be, and which are closed for want of use. A client that holds many silent
 * ones must not lock others out.
 */

import type { Socket } from "node:net";
import { hasHeldResponse, isInputPaused, stateOf } from "./connection-state.ts";

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
      if (stateOf(socket).latest === undefined) return socket === newest ? undefined : socket;
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
  const { latest } = stateOf(socket);
  if (latest === undefined || socket.destroyed) return false;
  return latest.writableFinished || !latest.req.complete;
}

/**
 * A connection that is idle for this long is closed within twice as long, in milliseconds. Clients mostly keep idle ones
 * below a minute, and it should be them who close: a server that does makes a client's next request fail now and then.
 */
export const IDLE_MS = 65_000;

/**
 * How many times a connection may be found with nothing new while its client is still taking an answer in, or while a
 * fault rule leaves it without one: about twelve minutes, for a snapshot over a slow link, or for longer than a client
 * waits. The server can't see how much the client has read, and must not keep an answer in memory for ever.
 */
const MAX_BUSY_SWEEPS = 10;

interface SweepState {
  readonly bytesRead: number;
  readonly isBusy: boolean;
  times: number;
}

/**
 * Closes the connections that brought nothing since it was called last, and that nothing is on its way to. One whose
 * answer is held back waits for it, however long that takes.
 */
export function createSweeper(
  sockets: Iterable<Pick<Socket, "bytesRead" | "writableLength" | "destroy">>,
): () => void {
  const before = new WeakMap<object, SweepState>();
  return () => {
    for (const socket of sockets) {
      const { bytesRead } = socket;
      if (hasHeldResponse(socket) || isInputPaused(socket)) {
        before.delete(socket);
        continue;
      }
      const isBusy = socket.writableLength > 0 || stateOf(socket).isSilent;
      const found = before.get(socket);
      if (found?.bytesRead !== bytesRead || found.isBusy !== isBusy) {
        before.set(socket, { bytesRead, isBusy, times: 0 });
        continue;
      }
      found.times += 1;
      if (found.times >= (isBusy ? MAX_BUSY_SWEEPS : 1)) socket.destroy();
    }
  };
}
