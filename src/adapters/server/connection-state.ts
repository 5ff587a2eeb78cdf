/**
 * What a connection knows of itself beyond what Node knows: its latest response, what is held back on it, and what waits
 * behind. The parts of the server that answer on a connection meet here instead of calling one another.
 */

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Waiting } from "../hold-back.ts";

/** A response that a fault rule holds back. */
export interface HeldResponse extends Waiting {
  readonly undelivered: () => void;
}

export interface ConnectionState {
  /** The last response that was begun. */
  latest: ServerResponse | undefined;
  /** Responses that haven't been handed over yet; undefined until there is one. */
  held: Set<HeldResponse> | undefined;
  /** Whether an answer that was decided on ends the talk: requests that come after get none, and the service must not see them. */
  isEnding: boolean;
  /** Whether it is kept open without a word, since a rule wants it so. */
  isSilent: boolean;
  /** Input that waits while the connection is held; undefined while it isn't. */
  behind: (() => void)[] | undefined;
  /** Up to which byte it is read on, once its last answer is decided. */
  readLimitBytes: number | undefined;
}

const STATE: unique symbol = Symbol("what a connection knows of itself");

export function stateOf(socket: object & { [STATE]?: ConnectionState }): ConnectionState {
  socket[STATE] ??= {
    latest: undefined,
    held: undefined,
    isEnding: false,
    isSilent: false,
    behind: undefined,
    readLimitBytes: undefined,
  };
  return socket[STATE];
}

/** Whether a response waits for its time on a connection. */
export function hasHeldResponse(socket: object): boolean {
  for (const { stopWaiting } of stateOf(socket).held ?? []) {
    if (stopWaiting !== undefined) return true;
  }
  return false;
}

/** Whether its input waits. */
export function isInputPaused(socket: object): boolean {
  return stateOf(socket).behind !== undefined;
}

/** Calls `act` once all that was asked so far on a connection is answered. */
export function afterLatest(socket: Socket, act: () => void): void {
  const { latest } = stateOf(socket);
  if (latest === undefined || latest.writableFinished) act();
  else latest.once("finish", act);
}

/** Node queues the responses of a connection: the first of them is the one that has the socket. */
export function whenTurn(response: ServerResponse, act: () => void): void {
  if (response.socket !== null) act();
  else response.once("socket", act);
}
