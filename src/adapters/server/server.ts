/** Serves the worlds over HTTP: listens, receives requests, closes. The service decides the answers. */

import type { Server as HttpServer, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
// A test's fake timers don't replace it.
import { clearTimeout, setTimeout } from "node:timers";
import { parseInput } from "../../base/input.ts";
import { createGuards } from "../../control/guards.ts";
import type { Worlds } from "../../simulator/worlds.ts";
import { nothing } from "../hold-back.ts";
import { answerBrokenRequests } from "./broken-requests.ts";
import { connectionOf } from "./connection.ts";
import { readBody, readHead } from "./read-request.ts";
import { createSender } from "./send.ts";
import { corsOf, createServerWorlds, type ServerOptions, serverOptions } from "./server-worlds.ts";
import { createService } from "./service.ts";

/** `import` would evaluate all exports, with undici among them: a fifth of the server's start. */
const http = process.getBuiltinModule("node:http");

/** A running server. */
export interface Server {
  /** The base URL of the world `default`, without a trailing slash. */
  readonly url: string;
  readonly worlds: Worlds;
  /** Closes within a second: answers requests in flight, but cuts off those that a fault rule holds back longer. */
  close(): Promise<void>;
}

/**
 * Starts a server. Resolves when it is ready.
 *
 * @param prepare Is called before the server listens. If it throws, the server doesn't start.
 * @throws (as a rejection) InputError that names the invalid option; Error if it can't listen on the address.
 */
export async function startServer(
  options: ServerOptions = {},
  prepare: (worlds: Worlds) => void | Promise<void> = nothing,
): Promise<Server> {
  const { port, host, controlToken, ...others } = parseInput(serverOptions, options);
  const worlds = createServerWorlds(others);
  await prepare(worlds);

  const server = http.createServer(settings);
  // Unlimited: beyond a limit Node silently drops fields, even a second Host. The head's size limits them anyway.
  server.maxHeadersCount = 0;
  const address = await listen(server, port, host);
  const isToken = tokenCheck(controlToken);
  const cors = corsOf(worlds);
  const guards = createGuards({ address: address.address, host, isToken, cors });
  const service = createService(worlds, guards);
  const sender = createSender();
  const receive = createReceiver(service, sender);
  server.on("request", (message, response) => receive(message, response));
  server.on("checkContinue", (message, response) => {
    receive(message, response, () => response.writeContinue());
  });
  // Unknown expectations may be ignored (RFC 9110 §10.1.1).
  server.on("checkExpectation", (message, response) => receive(message, response));
  server.on("connection", (socket: Socket) => {
    // When the client closes its half of a connection, Node closes the other. Finished answers go out before.
    socket.prependOnceListener("end", sender.flush);
  });
  answerBrokenRequests(server, service.refuse);

  return {
    url: urlOf(address),
    worlds,
    close() {
      sender.close();
      return closeServer(server);
    },
  };
}

const settings = {
  // Joins repeated headers like fetch's Headers. Node would drop a second Authorization header and accept the first.
  joinDuplicateHeaders: true,
  // A query over 8 KiB is refused as such up to this size, and as an oversized head beyond it.
  maxHeaderSize: 32 * 1024,
  // Node would answer a missing Host itself, without the header that every response needs.
  requireHostHeader: false,
  // Most clients close idle connections within a minute, and they should be first: if the server closes one, a client's
  // next request may fail.
  keepAliveTimeout: 65_000,
} as const;

/** `invite`: asks the client for the body that it holds back. */
function createReceiver(
  service: ReturnType<typeof createService>,
  { send }: ReturnType<typeof createSender>,
) {
  return (message: IncomingMessage, response: ServerResponse, invite?: () => void): void => {
    const { socket } = message;
    const connection = connectionOf(socket);
    if (connection.isEnding) return;
    const head = readHead(message);
    const { method, path, query, headers } = head;
    const refusal = service.inspect(head);
    const isUninvited = refusal !== undefined && invite !== undefined;
    // Node reads no more requests behind one that asks for another protocol. Here it gets a plain answer.
    if (isUninvited || headers.upgrade !== undefined) response.shouldKeepAlive = false;
    if (isUninvited) connection.isEnding = true;
    else invite?.();

    const answer = (body: string | Buffer): void => {
      connection.latest = response;
      const request = { method, path, query, headers, body, connection: connection.number };
      const reply = refusal ?? service.answer(request, { hasLeft: () => response.closed });
      if (reply instanceof Promise) void reply.then((later) => send(response, later, path));
      else send(response, reply, path);
    };
    // A request with a body waits for it, and every request for those before it on its connection.
    const hasBody = "content-length" in headers || "transfer-encoding" in headers;
    if (isUninvited || (connection.reading === 0 && !hasBody)) {
      answer("");
      return;
    }
    connection.reading += 1;
    readBody(message, refusal === undefined ? service.bodyLimit(head) : 0, (body) => {
      connection.reading -= 1;
      // An answer before it may have ended the connection meanwhile.
      if (!connection.isEnding) answer(body);
    });
  };
}

/** How long requests in flight may take after `close`, in milliseconds: a second minus the time to close. */
const GRACE_MS = 700;

function closeServer(server: HttpServer): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    server.close(() => {
      clearTimeout(timer);
      // The server reports its end before its last connections do, and what didn't arrive is noted at theirs.
      setTimeout(resolve, 1);
    });
    server.closeIdleConnections();
  });
}

/** @throws Error that says what to do if it can't listen on the address. */
function listen(server: HttpServer, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const what =
        error.code === "EADDRINUSE"
          ? `Port ${port} on ${host} is in use. Stop the program that uses it, or choose another port; 0 picks a free one.`
          : `The server can't listen on host ${host}, port ${port} (${error.code ?? error.message}). Choose an address of this machine, such as 127.0.0.1, and a port from 1024 on.`;
      reject(new Error(what, { cause: error }));
    });
    server.listen({ port, host, backlog: 1024 }, () => {
      server.removeAllListeners("error");
      // A later error in accepting concerns only one connection.
      server.on("error", nothing);
      // A TCP server has an address of this type.
      resolve(server.address() as AddressInfo);
    });
  });
}

function urlOf({ address, family, port }: AddressInfo): string {
  // Nobody can call a wildcard address, but a server on all addresses also listens on loopback.
  const callable = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;
  return `http://${family === "IPv6" ? `[${callable}]` : callable}:${port}`;
}

function tokenCheck(token: string | undefined): ((sent: string) => boolean) | undefined {
  if (token === undefined) return undefined;
  const { hash, timingSafeEqual } = process.getBuiltinModule("node:crypto");
  // Digests all have the same length, so the comparison reveals nothing about the token's length.
  const digest = (text: string): Buffer => hash("sha256", text, "buffer");
  return (sent) => timingSafeEqual(digest(sent), digest(token));
}
