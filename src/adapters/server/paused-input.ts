/**
 * Pauses the input of connections: until a control request is answered, or while other connections have their turn. Nothing
 * is read from a paused connection, so that a client can't fill the memory.
 */

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { timers } from "./builtins.ts";
import { isInputPaused, stateOf } from "./connection-state.ts";

const { setImmediate } = timers;

/** Queues the handling of input if the connection is paused. @returns whether it is. */
export function queueInput(socket: Socket, run: () => void): boolean {
  const { waitingInput } = stateOf(socket);
  if (waitingInput === undefined) return false;
  waitingInput.push(run);
  pause(socket);
  return true;
}

/** Pauses a connection until this request is answered. */
export function holdUntilAnswered(socket: Socket, response: ServerResponse): void {
  hold(socket);
  response.once("close", () => release(socket));
}

/**
 * Reads a paused connection whose answer doesn't end by itself, to notice that the client leaves. If the client only closes
 * its half, the answer ends.
 */
export function readOn(socket: Socket, response: ServerResponse): void {
  if (!socket.isPaused()) return;
  // Node's own listener would close the connection in the middle of the answer.
  socket.prependOnceListener("end", () => response.end());
  resume(socket);
}

/** How many requests in a row one connection may have before the others get their turn. */
const MAX_RUN = 64;

/** Pauses a connection that sends many requests in a row. Node would read 2 MiB of them in one turn. */
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
  stateOf(socket).waitingInput = [];
  pause(socket);
}

function pause(socket: Socket): void {
  // Deferred, because Node resumes reading by itself when a request is complete.
  queueMicrotask(() => {
    if (isInputPaused(socket)) socket.pause();
  });
}

function release(socket: Socket): void {
  const state = stateOf(socket);
  const waiting = state.waitingInput ?? [];
  state.waitingInput = undefined;
  for (const [index, run] of waiting.entries()) {
    // An earlier request got the connection's last answer.
    if (socket.destroyed || state.isEnding) return;
    run();
    const { waitingInput: added } = stateOf(socket);
    if (added === undefined) continue;
    state.waitingInput = [...waiting.slice(index + 1), ...added];
    return;
  }
  resume(socket);
}

/** Node pauses a connection itself if the client doesn't read its answers, and resumes it later. */
function resume(socket: Socket & { _paused?: boolean }): void {
  if (socket._paused !== true) socket.resume();
}
