/**
 * Answers what never became a request: broken or oversized heads, time-outs, CONNECT. It writes straight to the socket, so
 * that even these answers have the header that every response needs (spec §8).
 */

import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Rejection } from "../../spec/errors.ts";
import type { ApiResponse } from "../../spec/messages.ts";
import { http, timers } from "./builtins.ts";
import { afterLatest, stateOf, whenTurn } from "./connection-state.ts";
import { type Handover, handOver, type Outlet } from "./deliveries.ts";

/** How long a refused client has to finish sending and read the answer, in milliseconds. */
const LINGER_MS = 2000;
/** How much it may send meanwhile. */
const LINGER_BYTES = 64 * 1024 * 1024;

/** The status line and headers as Node would write them. */
function wireHead(response: ApiResponse): string {
  const lines = [`HTTP/1.1 ${response.status} ${http.STATUS_CODES[response.status] ?? ""}`];
  for (const [name, value] of Object.entries(response.headers)) lines.push(`${name}: ${value}`);
  lines.push("connection: close", "", "");
  return lines.join("\r\n");
}

/** An answer after which the connection ends. */
export type LastAnswer = Pick<Handover, "response" | "overtaking" | "world"> &
  Pick<Outlet, "whenTurn">;

/** Hands over the last answer of a connection, as its delivery says. */
export function answerLast(
  socket: Socket,
  { response, overtaking, world, whenTurn }: LastAnswer,
): void {
  if (!markLastAnswer(socket)) return;
  // Reads on and drops the input, because only a reading socket notices that the client has left.
  socket.resume();
  const { delivery } = response;
  if (delivery === undefined) {
    whenTurn(() => end(socket, wireHead(response) + response.body, nothing));
    return;
  }
  const outlet: Outlet = {
    socket,
    stream: socket,
    whenTurn,
    begin: (answer) => socket.write(wireHead(answer)),
    end: (piece, sent) => end(socket, piece, sent),
  };
  void handOver({ response, delivery, outlet, overtaking, world });
}

function nothing(): void {}

function markLastAnswer(socket: Socket): boolean {
  const state = stateOf(socket);
  if (state.readLimitBytes !== undefined) return false;
  state.readLimitBytes = socket.bytesRead + LINGER_BYTES;
  return true;
}

/**
 * Ends a connection after these bytes. Closing at once would reset it while the client is still sending, and the client would
 * never see the answer, so its input is read and dropped for a while.
 */
function end(socket: Socket, bytes: string | Uint8Array, sent: () => void): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const timer = timers.setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => timers.clearTimeout(timer));
  socket.end(bytes, sent);
  socket.resume();
}

/** The refusal for an error of Node's HTTP parser. */
function rejectionOf(error: Error & { code?: string; reason?: string }): Rejection {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return {
        code: "headers_too_large",
        detail: "The request line and headers are larger than the server accepts.",
      };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return {
        code: "request_timeout",
        detail: "The request did not arrive completely before the server's time-out.",
      };
    default: {
      const why = error.reason ? `: ${error.reason}` : "";
      return { code: "malformed_request", detail: `The request can't be read as HTTP/1.1${why}.` };
    }
  }
}

/** Answers parser errors of `server`. Requests before the broken one are answered first. */
export function answerBrokenRequests(
  server: Server,
  refuse: (rejection: Rejection) => ApiResponse,
): void {
  server.on("clientError", (error: Error & { code?: string }, stream) => {
    const socket = stream as Socket;
    const { readLimitBytes, latest, isEnding } = stateOf(socket);
    if (readLimitBytes !== undefined) {
      // Every further piece of a broken request causes another error.
      if (socket.bytesRead > readLimitBytes) socket.destroy();
      return;
    }
    if (isEnding) {
      // Came after a request whose answer ends the connection, so it is ignored.
      socket.pause();
      return;
    }
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const last = (): void => {
      if (!markLastAnswer(socket)) return;
      const refusal = refuse(rejectionOf(error));
      end(socket, wireHead(refusal) + refusal.body, nothing);
    };
    // `latest` is the broken request itself, or one before it.
    if (latest?.writableFinished === false && !latest.req.complete) whenTurn(latest, last);
    else afterLatest(socket, last);
  });
}
