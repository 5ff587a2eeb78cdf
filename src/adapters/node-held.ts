/**
 * Connections that are held: their input waits, behind a control request that isn't answered yet, or while others have their
 * turn. Nothing is read from them meanwhile, so that a client can't fill the memory.
 */

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { timers } from "./node-builtins.ts";
import { isDoomed } from "./node-deliveries.ts";

const { setImmediate } = timers;

const BEHIND: unique symbol = Symbol("what waits on a connection that is held");

/** A connection that remembers the input that arrived while it was held. */
type Connection = Socket & { [BEHIND]?: (() => void)[] | undefined };

export function isHeld(socket: object): boolean {
  return (socket as Connection)[BEHIND] !== undefined;
}

/** Keeps input for later on a connection that is held. @returns whether it is. */
export function waitsBehind(socket: Connection, act: () => void): boolean {
  if (socket[BEHIND] === undefined) return false;
  socket[BEHIND].push(act);
  pause(socket);
  return true;
}

/** Holds a connection until this request is answered. */
export function holdUntilAnswered(socket: Socket, response: ServerResponse): void {
  hold(socket);
  response.once("close", () => release(socket));
}

/** How many requests of one connection may come one after another before the others have their turn. */
const RUN = 64;

/** Counts requests, and holds a connection that sends many without a break: Node would read 2 MiB of them in one turn. */
export function createRuns(): (socket: Socket) => void {
  let latest: Socket | undefined;
  let run = 0;
  return (socket) => {
    run = socket === latest ? run + 1 : 1;
    latest = socket;
    if (run < RUN) return;
    run = 0;
    hold(socket);
    setImmediate(() => release(socket));
  };
}

function hold(socket: Connection): void {
  socket[BEHIND] = [];
  pause(socket);
}

function pause(socket: Connection): void {
  // Later, for Node reads on by itself once a request has arrived whole.
  queueMicrotask(() => {
    if (isHeld(socket)) socket.pause();
  });
}

function release(socket: Connection & { _paused?: boolean }): void {
  const behind = socket[BEHIND] ?? [];
  socket[BEHIND] = undefined;
  for (const [index, act] of behind.entries()) {
    // The one before had the connection's last answer.
    if (socket.destroyed || isDoomed(socket)) return;
    act();
    if (socket[BEHIND] === undefined) continue;
    socket[BEHIND] = [...behind.slice(index + 1), ...socket[BEHIND]];
    return;
  }
  // Where the client doesn't take its answers, Node has paused the connection as well, and resumes it itself.
  if (socket._paused !== true) socket.resume();
}
