/** Answers what isn't a request: broken or oversized heads, time-outs, CONNECT. */

import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import type { Rejection } from "../../spec/errors.ts";
import type { ApiResponse } from "../../spec/messages.ts";
import { http, timers } from "./builtins.ts";
import { afterLatest, connectionOf } from "./connection.ts";

/** How long a refused client has to finish sending and read the answer, in milliseconds. */
const LINGER_MS = 2000;

/** Requests before the broken one are answered first. */
export function answerBrokenRequests(
  server: Server,
  refuse: (rejection: Rejection) => ApiResponse,
): void {
  const refuseOn = (socket: Duplex, rejection: Rejection): void => {
    const connection = connectionOf(socket);
    // Each further piece of a broken request is another error.
    if (connection.isEnding) return;
    connection.isEnding = true;
    // The request before may just have come whole.
    timers.setImmediate(() => afterLatest(connection, () => endWith(socket, refuse(rejection))));
  };
  server.on("clientError", (error: ParserError, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
    else refuseOn(socket, rejections[error.code ?? ""] ?? malformed(error));
  });
  server.on("connect", (_, socket) => {
    socket.on("error", () => socket.destroy());
    const detail = "CONNECT asks for a tunnel, and this server is no proxy.";
    refuseOn(socket, { code: "malformed_request", detail });
  });
}

type ParserError = Error & { readonly code?: string; readonly reason?: string };

const rejections: Readonly<Record<string, Rejection>> = {
  HPE_HEADER_OVERFLOW: {
    code: "headers_too_large",
    detail: "The request line and headers are larger than the server accepts.",
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: "request_timeout",
    detail: "The request did not arrive completely before the server's time-out.",
  },
};

function malformed({ reason }: ParserError): Rejection {
  const why = reason ? `: ${reason}` : "";
  return { code: "malformed_request", detail: `The request can't be read as HTTP/1.1${why}.` };
}

/** Drops what the client still sends: closing at once could reset the connection before it has read the answer. */
function endWith(socket: Duplex, { status, headers, body }: ApiResponse): void {
  const fields = Object.entries({ ...headers, connection: "close" });
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
  socket.resume();
  timers.setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
