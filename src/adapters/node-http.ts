/** The worlds as an HTTP server. Knows sockets, limits and time-outs; what is answered is decided below. */

import type { Server as HttpServer, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { controlBodyLimit } from "../control/control.ts";
import { refused } from "../exchange/outcome.ts";
import { MAX_BODY_BYTES } from "../exchange/parameters.ts";
import { createQuota } from "../exchange/quota.ts";
import { createResponder } from "../exchange/respond.ts";
import { DEFAULT_WORLD, isControlTarget, type Worlds, worldOf } from "../simulator/worlds.ts";
import type { Rejection } from "../spec/errors.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { atOnce, isWork } from "../spec/work.ts";
import { createControlLoader } from "./control-loader.ts";
import { http } from "./node-builtins.ts";
import { createConnections, RESERVED_CONNECTIONS } from "./node-connections.ts";
import { isDoomed, isSilent } from "./node-deliveries.ts";
import { createGuards } from "./node-guard.ts";
import { createRuns } from "./node-held.ts";
import { IDLE_MS, sweeper } from "./node-idle.ts";
import { landingPage } from "./node-landing.ts";
import { listen, urlOf } from "./node-listen.ts";
import { createOutbox } from "./node-outbox.ts";
import { answerBrokenRequests, answerLast } from "./node-raw.ts";
import {
  Arrival,
  afterLatest,
  fieldsOf,
  type RequestHost,
  receive,
  whenTurn,
} from "./node-requests.ts";
import { createSlices } from "./node-slices.ts";
import { ignoreUpgrades, upgradeSettings } from "./node-upgrade.ts";
import { createOvertaking } from "./overtaking.ts";
import {
  beginSafely,
  createServerWorlds,
  failure,
  pagesOf,
  readServerOptions,
  type ServerOptions,
} from "./server-worlds.ts";

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
  const { port, host, controlToken, maxConnections, ...bounds } = readServerOptions(options);
  const worlds = createServerWorlds(options, bounds, createControlLoader());
  prepare(worlds);

  const server = http.createServer(serverSettings);
  applyLimits(server);
  server.maxConnections = maxConnections + RESERVED_CONNECTIONS;
  const connections = createConnections(maxConnections);
  const outbox = createOutbox();
  const overtaking = createOvertaking();
  let closing = false;
  const refuse = (rejection: Rejection): ApiResponse => {
    const { seed, assumptions, clock } = worlds.get(DEFAULT_WORLD);
    const respond = createResponder({ seed, assumptions, explain: options.explain ?? false });
    const shapedBy = respond.shapedRefusal(refused(rejection));
    // No key was read.
    const standing = createQuota(assumptions).standing(undefined, undefined, clock.now());
    return respond.refusal(rejection, standing, shapedBy, {});
  };

  server.on("connection", (socket: Socket) => {
    if (!connections.add(socket)) return;
    // Node closes its own half of a connection when the client has closed the other: what is due goes out before.
    socket.prependOnceListener("end", outbox.empty);
  });
  const address = await listen(server, port, host);
  const sweep = setInterval(sweeper(connections), IDLE_MS).unref();
  const cors = pagesOf(options);
  const guards = createGuards({ address: address.address, host, controlToken, cors });
  const requestHost: RequestHost = {
    begin: (request) => beginSafely(worlds, request),
    failed: failure,
    inspect(head) {
      const { host: named, "transfer-encoding": coding } = head.headers;
      // Two Host headers arrive as one with a comma, which no host has.
      if (named === undefined ? head.httpVersion === "1.1" : named.includes(",")) {
        return refuse({
          code: "malformed_request",
          detail: "An HTTP/1.1 request must have one Host header, with one host.",
        });
      }
      // Chunks are taken apart by Node; what else was done to the body would be read as if it were the body.
      if (coding !== undefined && !/^(chunked)?$/i.test(coding)) {
        return refuse({
          code: "malformed_request",
          detail: "The only Transfer-Encoding that is read is chunked.",
        });
      }
      if (isControlTarget(head.path)) return guards.control(head.headers) ?? landingPage(head);
      return (
        landingPage(head) ??
        (worlds.wouldMake(head.path) ? guards.newWorld(head.headers) : undefined)
      );
    },
    bodyLimit: (method, path) =>
      isControlTarget(path) ? controlBodyLimit(method, path) : MAX_BODY_BYTES,
    isClosing: () => closing,
    giveUp({ path, socket, response }, answer) {
      const turn = (act: () => void): void => response && whenTurn(response, act);
      answerLast(socket, { response: answer, overtaking, world: worldOf(path), whenTurn: turn });
    },
    outbox,
    overtaking,
    arrived: createRuns(),
    slices: createSlices(),
  };
  const onRequest = (request: Arrival, response: ServerResponse): void => {
    receive(requestHost, request, response);
  };
  server.on("request", onRequest);
  // An expectation that isn't known may be ignored (RFC 9110 §10.1.1).
  server.on("checkExpectation", onRequest);
  ignoreUpgrades(server);
  server.on("connect", (request) => {
    const { url: path = "", socket } = request;
    socket.on("error", () => socket.destroy());
    if (isDoomed(socket)) return;
    const headers = fieldsOf(request);
    const asked = { method: "CONNECT", path, headers };
    const [target = ""] = path.split("?");
    const head = { ...asked, path: target, httpVersion: request.httpVersion };
    const refusal = requestHost.inspect(head);
    const answer = refusal ?? beginSafely(worlds, asked);
    const response = isWork(answer) ? atOnce(answer) : answer;
    const turn = (act: () => void): void => afterLatest(socket, act);
    answerLast(socket, { response, overtaking, world: worldOf(path), whenTurn: turn });
  });
  answerBrokenRequests(server, refuse);

  return {
    url: urlOf(address),
    worlds,
    close() {
      // What is answered already doesn't end its connection.
      outbox.empty();
      closing = true;
      clearInterval(sweep);
      return closeServer(server, connections);
    },
  };
}

const serverSettings = {
  IncomingMessage: Arrival,
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
    for (const socket of sockets) if (isSilent(socket)) socket.destroy();
  });
}
