/** The worlds as an HTTP server. Knows sockets, limits and time-outs; what is answered is decided below. */

import type { Server as HttpServer, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createGuards } from "../../control/guards.ts";
import type { Worlds } from "../../simulator/worlds.ts";
import { createOvertaking } from "../hold-back.ts";
import { crypto, http } from "./builtins.ts";
import { stateOf } from "./connection-state.ts";
import { createConnections, createSweeper, IDLE_MS, RESERVED_CONNECTIONS } from "./connections.ts";
import { createControlLoader } from "./control-loader.ts";
import { answerConnect, IncomingRequest, type RequestHost, receive } from "./incoming-request.ts";
import { answerBrokenRequests } from "./last-answer.ts";
import { createOutbox } from "./outbox.ts";
import { createTurnTaker } from "./paused-input.ts";
import {
  createServerCors,
  createServerWorlds,
  resolveServerOptions,
  type ServerOptions,
} from "./server-worlds.ts";
import { createService } from "./service.ts";
import { createSlices } from "./slices.ts";
import { ignoreUpgrades, upgradeSettings } from "./upgrades.ts";

/** A running server. */
export interface Server {
  /** The base URL of the world `default`, without a slash at the end. */
  readonly url: string;
  readonly worlds: Worlds;
  /** Answers what is in flight, cuts what a fault rule holds back for longer, and closes, within a second. */
  close(): Promise<void>;
}

/**
 * Starts a server and resolves once it answers.
 *
 * @throws InputError (as a rejection) that names the option at fault; Error where the address can't be had.
 */
export function startServer(options: ServerOptions = {}): Promise<Server> {
  return startPrepared(options, () => undefined);
}

/** The same. `prepare` may do something with the worlds before anything listens; nothing does where it throws. */
export async function startPrepared(
  options: ServerOptions,
  prepare: (worlds: Worlds) => void,
): Promise<Server> {
  const read = resolveServerOptions(options);
  const { port, host, controlToken, maxConnections } = read;
  const worlds = createServerWorlds(read, createControlLoader());
  prepare(worlds);

  const server = http.createServer(serverSettings);
  applyLimits(server);
  server.maxConnections = maxConnections + RESERVED_CONNECTIONS;
  const connections = createConnections(maxConnections);
  const outbox = createOutbox();
  server.on("connection", (socket: Socket) => {
    if (!connections.add(socket)) return;
    // Node closes its own half of a connection when the client has closed the other: what is due goes out before.
    socket.prependOnceListener("end", outbox.empty);
  });
  const address = await listen(server, port, host);
  const sweep = setInterval(createSweeper(connections), IDLE_MS).unref();
  const cors = createServerCors(options);
  const guards = createGuards({
    address: address.address,
    host,
    isToken: tokenCheck(controlToken),
    cors,
  });
  const service = createService(worlds, guards);
  const requestHost: RequestHost = {
    service,
    outbox,
    overtaking: createOvertaking(),
    slices: createSlices(),
    countRequest: createTurnTaker(),
    isClosing: false,
  };
  const onRequest = (request: IncomingRequest, response: ServerResponse): void => {
    receive(requestHost, request, response);
  };
  server.on("request", onRequest);
  // An expectation that isn't known may be ignored (RFC 9110 §10.1.1).
  server.on("checkExpectation", onRequest);
  ignoreUpgrades(server);
  server.on("connect", (request) => answerConnect(requestHost, request));
  answerBrokenRequests(server, service.refuse);

  return {
    url: urlOf(address),
    worlds,
    close() {
      // What is answered already doesn't end its connection.
      outbox.empty();
      requestHost.isClosing = true;
      clearInterval(sweep);
      return closeServer(server, connections);
    },
  };
}

const serverSettings = {
  IncomingMessage: IncomingRequest,
  ...upgradeSettings,
  // As fetch's Headers does: Node would drop the second of two Authorization headers, and so take the first for a key.
  joinDuplicateHeaders: true,
  // Bounds the memory that a connection can take before it has said anything useful. A query longer than 8 KiB is
  // refused as such up to here, and as an oversized head beyond.
  maxHeaderSize: 32 * 1024,
  // Node would answer a missing Host by itself, without the header that every response carries.
  requireHostHeader: false,
  // Never leave spec-conforming parsing: a lenient parser disagrees with proxies about where a request ends.
  insecureHTTPParser: false,
  // How often the two time-outs below are looked after.
  connectionsCheckingInterval: 1000,
} as const;

function applyLimits(server: HttpServer): void {
  // A head is a few hundred bytes: who takes longer is stuck, or holds connections open on purpose.
  server.headersTimeout = 10_000;
  // Long enough for a snapshot of 256 MiB over a slow link.
  server.requestTimeout = 60_000;
  // Node's own would set a timer twice for every request; idle connections are swept instead.
  server.keepAliveTimeout = 0;
  // The time-outs above cover every state; an answer takes time only where a fault rule says so.
  server.timeout = 0;
  // Unlimited: Node answers 503 to what exceeds it, and a load test reuses its connections for millions of requests.
  server.maxRequestsPerSocket = 0;
  // Unlimited: Node drops the fields beyond instead of refusing, a second Host among them. The head's size bounds them.
  server.maxHeadersCount = 0;
}

/** How long requests in flight have to be answered, in milliseconds: a second less what closing takes. */
const GRACE_MS = 700;

function closeServer(server: HttpServer, sockets: Iterable<Socket>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, GRACE_MS);
    server.close(() => {
      clearTimeout(timer);
      // The server says so before its last connections do, and only those know what didn't reach a client.
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
    // There is nothing to wait for.
    for (const socket of sockets) if (stateOf(socket).isSilent) socket.destroy();
  });
}

/** @throws Error that says what to do where the address can't be had. */
function listen(server: HttpServer, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(new Error(describeListenError(error, port, host), { cause: error }));
    });
    server.listen({ port, host, backlog: 1024 }, () => {
      server.removeAllListeners("error");
      // What goes wrong later with accepting concerns one connection.
      server.on("error", () => undefined);
      // A server on TCP has an address of this form.
      resolve(server.address() as AddressInfo);
    });
  });
}

function describeListenError(error: NodeJS.ErrnoException, port: number, host: string): string {
  switch (error.code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use. Stop what uses it, or choose another port; 0 picks a free one.`;
    case "EACCES":
      return `Port ${port} on ${host} may not be used by this user. Choose a port from 1024 on; 0 picks a free one.`;
    default:
      return `The server can't listen on host ${host}, port ${port} (${error.code ?? error.message}). Choose an address of this machine, such as 127.0.0.1.`;
  }
}

/** The base URL of a server that listens there. */
function urlOf({ address, family, port }: AddressInfo): string {
  // A server on every address of the machine is reached at this one; the wildcard itself is no address to call.
  const callable = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;
  return `http://${family === "IPv6" ? `[${callable}]` : callable}:${port}`;
}

function tokenCheck(token: string | undefined): ((sent: string) => boolean) | undefined {
  if (token === undefined) return undefined;
  // Digests have one length, so that comparing tells nothing about the token's.
  const digest = (text: string): Buffer => crypto().createHash("sha256").update(text).digest();
  const expected = digest(token);
  return (sent) => crypto().timingSafeEqual(digest(sent), expected);
}
