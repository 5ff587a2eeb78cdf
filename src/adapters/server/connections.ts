/**
 * Limits a server's connections and closes unused ones, so that a client with many silent connections can't lock others out.
 */

import type { Socket } from "node:net";
import { hasHeldResponse, isInputPaused, stateOf } from "./connection-state.ts";

export interface Connections extends Iterable<Socket> {
  /** @returns whether it is new. */
  add(socket: Socket): boolean;
}

/** Extra connections to accept while none can be closed, so that the control API stays reachable. */
export const RESERVED_CONNECTIONS = 100;

/** Beyond `max` connections, each new one replaces one that isn't waiting for an answer. */
export function createConnections(max: number): Connections {
  const all = new Set<Socket>();
  /** Connections without a request at the last check. Oldest first, as in `all`. */
  const silent = new Set<Socket>();

  /**
   * Closes the oldest silent connection if many are silent. If only a few are, they may be new: then it closes the oldest
   * connection that is idle or in the middle of a request. If there is none, it closes nothing until the reserve is full.
   */
  function makeRoom(newest: Socket): void {
    const oldest = oldestSilent(newest);
    const victim =
      silent.size > max / 4 ? oldest : (oldestIdle() ?? (isReserveFull() ? oldest : undefined));
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

  const isReserveFull = (): boolean => all.size >= max + RESERVED_CONNECTIONS;

  return {
    add(socket) {
      // An ignored upgrade adds its connection again.
      if (all.has(socket)) return false;
      all.add(socket);
      silent.add(socket);
      socket.once("close", () => {
        all.delete(socket);
        silent.delete(socket);
      });
      if (all.size > max) makeRoom(socket);
      return true;
    },
    [Symbol.iterator]: () => all.values(),
  };
}

/** Whether the latest request on a connection is answered or still incomplete. */
function isIdle(socket: Socket): boolean {
  const { latest } = stateOf(socket);
  if (latest === undefined || socket.destroyed) return false;
  return latest.writableFinished || !latest.req.complete;
}

/**
 * A connection that is idle this long, in milliseconds, is closed within twice this time. Most clients close idle connections
 * within a minute, and they should be first: if the server closes one, a client's next request may fail.
 */
export const IDLE_MS = 65_000;

/**
 * How many sweeps may find nothing new on a connection whose client is still reading an answer, or that a fault rule leaves
 * without one. That is about twelve minutes: enough for a snapshot over a slow link, and longer than clients wait. The server
 * can't see how much the client has read, and must not keep an answer in memory forever.
 */
const MAX_BUSY_SWEEPS = 10;

interface SweepState {
  readonly bytesRead: number;
  readonly isBusy: boolean;
  times: number;
}

/**
 * Each call closes the connections that received and sent nothing since the call before. It never closes one whose answer is
 * held back.
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
