/** Serves the worlds over HTTP. Handles sockets, limits and time-outs; the service decides the answers. */

import type { Server as HttpServer, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createGuards } from "../../control/guards.ts";
import type { Worlds } from "../../simulator/worlds.ts";
import { controlModules } from "../control-modules.ts";
import { createOvertaking } from "../hold-back.ts";
import { crypto, http, timers } from "./builtins.ts";
import { stateOf } from "./connection-state.ts";
import { answerConnect, IncomingRequest, type RequestHost, receive } from "./incoming-request.ts";
import { answerBrokenRequests } from "./last-answer.ts";
import { createOutbox } from "./outbox.ts";
import {
  createServerCors,
  createServerWorlds,
  resolveServerOptions,
  type ServerOptions,
} from "./server-worlds.ts";
import { createService } from "./service.ts";
import { ignoreUpgrades, upgradeSettings } from "./upgrades.ts";

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
 * @throws (as a rejection) InputError that names the invalid option; Error if it can't listen on the address.
 */
export function startServer(options: ServerOptions = {}): Promise<Server> {
  return startPrepared(options, () => undefined);
}

/** Like {@link startServer}. Calls `prepare` before it listens; if that throws, the server doesn't start. */
export async function startPrepared(
  options: ServerOptions,
  prepare: (worlds: Worlds) => void | Promise<void>,
): Promise<Server> {
  const resolved = resolveServerOptions(options);
  const { port, host, controlToken } = resolved;
  const worlds = createServerWorlds(resolved, controlModules);
  await prepare(worlds);

  const server = http.createServer(serverSettings);
  applyLimits(server);
  const connections = new Set<Socket>();
  const outbox = createOutbox();
  server.on("connection", (socket: Socket) => {
    // An ignored upgrade adds its connection again.
    if (connections.has(socket)) return;
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
    // When the client closes its half of a connection, Node closes the other. Finished answers go out before.
    socket.prependOnceListener("end", outbox.empty);
  });
  const address = await listen(server, port, host);
  const guards = createGuards({
    address: address.address,
    host,
    isToken: tokenCheck(controlToken),
    cors: createServerCors(worlds),
  });
  const service = createService(worlds, guards);
  const requestHost: RequestHost = {
    service,
    outbox,
    overtaking: createOvertaking(),
    streams: new Set(),
    connections: 0,
    isClosing: false,
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    if (request instanceof IncomingRequest) receive(requestHost, request, response);
    else receiveStream(requestHost, request, response);
  };
  server.on("request", onRequest);
  // Unknown expectations may be ignored (RFC 9110 §10.1.1).
  server.on("checkExpectation", onRequest);
  ignoreUpgrades(server);
  server.on("connect", (request) => answerConnect(requestHost, request));
  answerBrokenRequests(server, service.refuse);

  return {
    url: urlOf(address),
    worlds,
    close() {
      // Finished answers go out without `Connection: close`.
      outbox.empty();
      requestHost.isClosing = true;
      for (const stream of requestHost.streams) stream.end();
      return closeServer(server, connections);
    },
  };
}

/** Bun and Deno run Node's programs, and report its version too. */
const isNode = process.versions.bun === undefined && process.versions.deno === undefined;

const serverSettings = {
  // Only Node's parser passes bodies to it.
  ...(isNode ? { IncomingMessage: IncomingRequest } : {}),
  ...upgradeSettings,
  // Joins repeated headers like fetch's Headers. Node would drop a second Authorization header and accept the first.
  joinDuplicateHeaders: true,
  // Limits the memory of a connection before it has a valid request. A query over 8 KiB is refused as such up to this
  // size, and as an oversized head beyond it.
  maxHeaderSize: 32 * 1024,
  // Node would answer a missing Host itself, without the header that every response needs.
  requireHostHeader: false,
  // Always parse strictly: a lenient parser and a proxy may disagree about where a request ends.
  insecureHTTPParser: false,
  // How often Node checks the first two time-outs below, in milliseconds.
  connectionsCheckingInterval: 1000,
} as const;

/** Passes on a request whose body comes as a stream. */
function receiveStream(
  host: RequestHost,
  message: IncomingMessage,
  response: ServerResponse,
): void {
  const request = new IncomingRequest(message.socket);
  const { method, url, headers, httpVersion } = message;
  receive(host, Object.assign(request, { method, url, headers, httpVersion }), response);
  message.on("data", (piece: Buffer) => request.push(piece));
  message.on("end", () => request.push(null));
}

function applyLimits(server: HttpServer): void {
  // A head is a few hundred bytes. A slower client is stuck, or holds connections open on purpose.
  server.headersTimeout = 10_000;
  // Long enough for a snapshot of 64 MiB over a slow link.
  server.requestTimeout = 60_000;
  // Most clients close idle connections within a minute, and they should be first: if the server closes one, a client's
  // next request may fail.
  server.keepAliveTimeout = 65_000;
  // Off: the time-outs above cover every state, and only a fault rule makes an answer slow.
  server.timeout = 0;
  // Unlimited: beyond a limit Node answers 503, and load tests send millions of requests per connection.
  server.maxRequestsPerSocket = 0;
  // Unlimited: beyond a limit Node silently drops fields, even a second Host. The head's size limits them anyway.
  server.maxHeadersCount = 0;
}

/** How long requests in flight may take after `close`, in milliseconds: a second minus the time to close. */
const GRACE_MS = 700;

function closeServer(server: HttpServer, sockets: Iterable<Socket>): Promise<void> {
  return new Promise((resolve) => {
    const timer = timers.setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, GRACE_MS);
    server.close(() => {
      timers.clearTimeout(timer);
      // The server reports its end before its last connections close, and their close events note what didn't arrive.
      const last = [...sockets];
      let open = last.length;
      if (open === 0) resolve();
      for (const socket of last) {
        socket.once("close", () => {
          open -= 1;
          if (open === 0) resolve();
        });
      }
    });
    server.closeIdleConnections();
    // Silent connections will never get an answer.
    for (const socket of sockets) if (stateOf(socket).isSilent) socket.destroy();
  });
}

/** @throws Error that says what to do if it can't listen on the address. */
function listen(server: HttpServer, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(new Error(describeListenError(error, port, host), { cause: error }));
    });
    server.listen({ port, host, backlog: 1024 }, () => {
      server.removeAllListeners("error");
      // A later error in accepting concerns only one connection.
      server.on("error", () => undefined);
      // A TCP server has an address of this type.
      resolve(server.address() as AddressInfo);
    });
  });
}

function describeListenError(error: NodeJS.ErrnoException, port: number, host: string): string {
  switch (error.code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use. Stop the program that uses it, or choose another port; 0 picks a free one.`;
    case "EACCES":
      return `Port ${port} on ${host} may not be used by this user. Choose port 1024 or above; 0 picks a free one.`;
    default:
      return `The server can't listen on host ${host}, port ${port} (${error.code ?? error.message}). Choose an address of this machine, such as 127.0.0.1.`;
  }
}

function urlOf({ address, family, port }: AddressInfo): string {
  // Nobody can call a wildcard address, but a server on all addresses also listens on loopback.
  const callable = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;
  return `http://${family === "IPv6" ? `[${callable}]` : callable}:${port}`;
}

function tokenCheck(token: string | undefined): ((sent: string) => boolean) | undefined {
  if (token === undefined) return undefined;
  // Digests all have the same length, so the comparison reveals nothing about the token's length.
  const digest = (text: string): Buffer => crypto().createHash("sha256").update(text).digest();
  const expected = digest(token);
  return (sent) => crypto().timingSafeEqual(digest(sent), expected);
}
