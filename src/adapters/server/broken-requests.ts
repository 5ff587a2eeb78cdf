/** Answers what isn't a request: broken or oversized heads, time-outs, CONNECT. Then the connection ends. */

import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import { setImmediate, setTimeout } from "node:timers";
import type { Rejection } from "../../spec/errors.ts";
import type { ApiResponse } from "../../spec/messages.ts";
import { connectionOf } from "./connection.ts";

const { STATUS_CODES } = process.getBuiltinModule("node:http");

export function answerBrokenRequests(
  server: Server,
  refuse: (rejection: Rejection) => ApiResponse,
): void {
  server.on("clientError", (error: NodeJS.ErrnoException & { reason?: string }, socket) => {
    const { code = "", reason = "it is malformed" } = error;
    const rejection = rejections[code] ?? malformed(`can't be read as HTTP/1.1: ${reason}`);
    if (code === "ECONNRESET" || !socket.writable) socket.destroy();
    else endWith(socket, refuse(rejection));
  });
  server.on("connect", (_, socket) => {
    socket.on("error", () => socket.destroy());
    endWith(socket, refuse(malformed("asks for a tunnel, and this server is no proxy")));
  });
}

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

function malformed(why: string): Rejection {
  return { code: "malformed_request", detail: `The request ${why}.` };
}

/** How long a refused client has to finish sending and read the answer, in milliseconds. */
const LINGER_MS = 500;

/** Requests before the broken one are answered first. The one before may just have come whole. */
function endWith(socket: Duplex, { status, headers, body }: ApiResponse): void {
  const connection = connectionOf(socket);
  // Each further piece of a broken request is another error.
  if (connection.isEnding) return;
  connection.isEnding = true;
  const fields = Object.entries({ ...headers, connection: "close" });
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
  const text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
  const end = (): void => {
    socket.end(text);
    // Closing at once could reset the connection before the client has read the answer.
    socket.resume();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
  setImmediate(() => {
    const { latest } = connection;
    if (latest === undefined || latest.writableFinished) end();
    else latest.once("finish", end);
  });
}
