/**
 * Connections that are held: their input waits, behind a control request that isn't answered yet, or while others have their
 * turn. Nothing is read from them meanwhile, so that a client can't fill the memory.
 */

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { timers } from "./builtins.ts";
import { isInputPaused, stateOf } from "./connection-state.ts";

const { setImmediate } = timers;

/** Keeps input for later on a connection that is held. @returns whether it is. */
export function queueInput(socket: Socket, act: () => void): boolean {
  const { behind } = stateOf(socket);
  if (behind === undefined) return false;
  behind.push(act);
  pause(socket);
  return true;
}

/** Holds a connection until this request is answered. */
export function holdUntilAnswered(socket: Socket, response: ServerResponse): void {
  hold(socket);
  response.once("close", () => release(socket));
}

/** How many requests of one connection may come one after another before the others have their turn. */
const MAX_RUN = 64;

/** Counts requests, and holds a connection that sends many without a break: Node would read 2 MiB of them in one turn. */
export function createTurnTaker(): (socket: Socket) => void {
  let latest: Socket | undefined;
  let run = 0;
  return (socket) => {
    run = socket === latest ? run + 1 : 1;
    latest = socket;
    if (run < MAX_RUN) return;
    run = 0;
    hold(socket);
    setImmediate(() => release(socket));
  };
}

function hold(socket: Socket): void {
  stateOf(socket).behind = [];
  pause(socket);
}

function pause(socket: Socket): void {
  // Later, for Node reads on by itself once a request has arrived whole.
  queueMicrotask(() => {
    if (isInputPaused(socket)) socket.pause();
  });
}

function release(socket: Socket & { _paused?: boolean }): void {
  const state = stateOf(socket);
  const behind = state.behind ?? [];
  state.behind = undefined;
  for (const [index, act] of behind.entries()) {
    // The one before had the connection's last answer.
    if (socket.destroyed || state.isEnding) return;
    act();
    const { behind: again } = stateOf(socket);
    if (again === undefined) continue;
    state.behind = [...behind.slice(index + 1), ...again];
    return;
  }
  // Where the client doesn't take its answers, Node has paused the connection as well, and resumes it itself.
  if (socket._paused !== true) socket.resume();
}
