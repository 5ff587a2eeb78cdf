/**
 * The state of a connection beyond Node's own: its latest response, and the responses held back on it.
 * The parts of the server that answer on a connection share it instead of calling one another.
 */

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** A response that a fault rule holds back. */
export interface HeldResponse {
  /** Aborted when the connection closes. */
  readonly leaving: AbortController;
  readonly undelivered: () => void;
}

export interface ConnectionState {
  /** Counts the server's connections with a request, from 1. */
  number: number | undefined;
  /** The last response that was begun. */
  latest: ServerResponse | undefined;
  /** Responses that haven't been handed over yet; undefined until there is one. */
  held: Set<HeldResponse> | undefined;
  /** Whether an answer that is already decided ends the connection. The service must not see later requests. */
  isEnding: boolean;
  /** Whether a fault rule keeps it open without an answer. */
  isSilent: boolean;
  /** After its last answer is decided: the position up to which input is still read and dropped. */
  readLimitBytes: number | undefined;
}

const STATE: unique symbol = Symbol("adsim connection state");

export function stateOf(socket: object & { [STATE]?: ConnectionState }): ConnectionState {
  socket[STATE] ??= {
    number: undefined,
    latest: undefined,
    held: undefined,
    isEnding: false,
    isSilent: false,
    readLimitBytes: undefined,
  };
  return socket[STATE];
}

/** Calls `then` when all requests so far on a connection are answered. */
export function afterLatest(socket: Socket, then: () => void): void {
  const { latest } = stateOf(socket);
  if (latest === undefined || latest.writableFinished) then();
  else latest.once("finish", then);
}

/** Calls `then` when it is a response's turn: Node queues the responses of a connection, and gives the first one the socket. */
export function whenTurn(response: ServerResponse, then: () => void): void {
  if (response.socket !== null) then();
  else response.once("socket", then);
}
