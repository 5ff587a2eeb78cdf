/** Answers broken or oversized heads and time-outs, which never become requests. Then the connection ends. */

import type { Server } from "node:http";
import { setImmediate, setTimeout } from "node:timers";
import type { Rejection } from "../../spec/errors.ts";
import type { ApiResponse } from "../../spec/messages.ts";
import { connectionOf } from "./connection.ts";

/** How long a refused client has to finish sending and read the answer, in milliseconds. */
const LINGER_MS = 500;

export function answerBrokenRequests(
  server: Server,
  refuse: (rejection: Rejection) => ApiResponse,
): void {
  server.on("clientError", (error: Broken, socket) => {
    const connection = connectionOf(socket);
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
    // Each further piece of a broken request is another error.
    if (connection.isEnding) return;
    connection.isEnding = true;
    const end = (): void => {
      socket.end(textOf(refuse(rejectionOf(error))));
      // Closing at once could reset the connection before the client has read the answer.
      socket.resume();
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    };
    // The request before may just have come whole, and is answered first.
    setImmediate(() => {
      const { latest } = connection;
      if (latest === undefined || latest.writableFinished) end();
      else latest.once("finish", end);
    });
  });
}

type Broken = Error & { readonly code?: string; readonly reason?: string };

function rejectionOf({ code, reason = "it is malformed" }: Broken): Rejection {
  if (code === "HPE_HEADER_OVERFLOW") {
    return { code: "headers_too_large", detail: "The head is larger than the server accepts." };
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return { code: "request_timeout", detail: "The request didn't arrive in time." };
  }
  return { code: "malformed_request", detail: `This can't be read as HTTP/1.1: ${reason}.` };
}

function textOf({ status, headers, body }: ApiResponse): string {
  const reason = process.getBuiltinModule("node:http").STATUS_CODES[status];
  const fields = Object.entries({ ...headers, connection: "close" });
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${reason}\r\n${lines.join("")}\r\n${body}`;
}
