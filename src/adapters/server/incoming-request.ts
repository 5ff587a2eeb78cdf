/**
 * Turns an HTTP request into plain data, and sends its answer. This is the server's hot path: a request needs no promise, no
 * closure, no URL object and no stream.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import { isControlTarget } from "../../base/world-path.ts";
import { worldOf } from "../../simulator/worlds.ts";
import type { ApiRequest, ApiResponse, FollowedResponse } from "../../spec/messages.ts";
import { LATEST_ORDER, type Overtaking } from "../hold-back.ts";
import { http } from "./builtins.ts";
import { afterLatest, stateOf, whenTurn } from "./connection-state.ts";
import { handOver, type Outlet } from "./deliveries.ts";
import { answerLast } from "./last-answer.ts";
import type { Outbox, PendingAnswer } from "./outbox.ts";
import { type KeptBody, takeBody, unpacked } from "./request-body.ts";
import { sendEvents } from "./send-events.ts";
import type { Service } from "./service.ts";

/** What a server's requests share. */
export interface RequestHost {
  readonly service: Service;
  /** Holds answers until the end of the turn, at most one per connection. */
  readonly outbox: Outbox;
  readonly overtaking: Overtaking;
  /** The answers that go on until the client leaves or the server closes. */
  readonly streams: Set<ServerResponse>;
  /** How many connections have sent a request. */
  connections: number;
  /** Whether every answer closes its connection. */
  isClosing: boolean;
}

/**
 * An arriving request. It avoids the stream: Node's parser passes the pieces of the body to {@link push}, and nothing else
 * happens to them. A stream's turns and events were a sixth of an impression's cost, and a quarter of a report's.
 */
export class IncomingRequest extends http.IncomingMessage implements KeptBody, PendingAnswer {
  /** Undefined if nobody waits for the request any more; its body is then dropped. */
  host: RequestHost | undefined = undefined;
  response: ServerResponse | undefined = undefined;
  path = "";
  query = "";
  fields: Readonly<Record<string, string>> = noFields;
  /** Decided by the head alone. The body is read and dropped, so that the client can read the refusal. */
  refusal: ApiResponse | undefined = undefined;
  /** The answer that waits in the outbox. */
  answer: ApiResponse | undefined = undefined;
  first: Buffer | undefined = undefined;
  others: Buffer[] | undefined = undefined;
  keptBytes = 0;
  limitBytes = 0;
  receivedBytes = 0;

  /** Takes a piece of the body, or null at its end. @returns true: there is always room for more. */
  override push(piece: Buffer | null): boolean {
    const { host } = this;
    if (host === undefined) return true;
    if (piece === null) finish(host, this);
    else keep(host, this, piece);
    return true;
  }

  writeAnswer(): void {
    const { host, response, answer } = this;
    // Frees memory: a connection keeps its last request, and an answer can be a snapshot.
    this.answer = undefined;
    if (host === undefined || response === undefined || answer === undefined) return;
    write(host, response, answer);
  }

  /** Node calls this to drain the body of an answered request. There is nothing to drain. */
  override resume(): this {
    return this;
  }
}

const noFields: Readonly<Record<string, string>> = Object.freeze({});

/** How much of a body beyond its limit to read and drop before giving the connection up. */
const MAX_DROPPED_BYTES = 64 * 1024 * 1024;

/** Starts handling a request. The answer follows when its body has arrived. */
export function receive(
  host: RequestHost,
  request: IncomingRequest,
  response: ServerResponse,
): void {
  const state = stateOf(request.socket);
  if (state.isEnding) {
    // Came after a request whose answer ends the connection, so it is ignored.
    request.socket.pause();
    return;
  }
  state.latest = response;
  state.number ??= ++host.connections;
  request.host = host;
  request.response = response;
  request.fields = fieldsOf(request);
  readTarget(request);
  const { method = "", fields, path, httpVersion } = request;
  const { service } = host;
  request.refusal = service.inspect({ method, path, headers: fields, httpVersion });
  request.limitBytes = request.refusal === undefined ? service.bodyLimit({ method, path }) + 1 : 0;
}

/** Header fields by lower-case name. Node has joined repeated ones as fetch's Headers does, except Set-Cookie. */
function fieldsOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const cookies = headers["set-cookie"];
  // Every other field is a string.
  const fields = headers as Readonly<Record<string, string>>;
  return cookies === undefined ? fields : { ...fields, "set-cookie": cookies.join(", ") };
}

/** Path and query from the request target. A target with scheme and host overrules the Host header (RFC 9112 §3.2.2). */
function readTarget(request: IncomingRequest): void {
  let target = request.url ?? "";
  if (target.charCodeAt(0) !== SLASH) {
    const absolute = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target);
    if (absolute?.[1] !== undefined) {
      // Two Host headers are invalid even with such a target.
      if (!request.fields.host?.includes(",")) {
        request.fields = { ...request.fields, host: absolute[1] };
      }
      target = absolute[2]?.startsWith("/") ? absolute[2] : `/${absolute[2] ?? ""}`;
    }
  }
  const mark = target.indexOf("?");
  request.path = mark === -1 ? target : target.slice(0, mark);
  request.query = mark === -1 ? "" : target.slice(mark + 1);
}

const SLASH = 0x2f;

function keep(host: RequestHost, request: IncomingRequest, piece: Buffer): void {
  request.receivedBytes += piece.length;
  const room = request.limitBytes - request.keptBytes;
  if (room > 0) {
    const kept = piece.length > room ? piece.subarray(0, room) : piece;
    request.keptBytes += kept.length;
    if (request.first === undefined) request.first = kept;
    else if (request.others === undefined) request.others = [kept];
    else request.others.push(kept);
  } else if (request.receivedBytes > request.limitBytes + MAX_DROPPED_BYTES) {
    request.host = undefined;
    giveUp(host, request, request.refusal ?? host.service.handle(requestOf(request)));
  }
}

/** Answers a request whose body doesn't end, and gives its connection up. */
function giveUp({ overtaking }: RequestHost, request: IncomingRequest, answer: ApiResponse): void {
  const { path, socket, response } = request;
  const turn = (then: () => void): void => response && whenTurn(response, then);
  answerLast(socket, { response: answer, overtaking, world: worldOf(path), whenTurn: turn });
}

function requestOf(request: IncomingRequest): ApiRequest {
  const { method = "", path, query, fields } = request;
  const connection = stateOf(request.socket).number;
  return { method, path, query, headers: fields, body: takeBody(request), connection };
}

function finish(host: RequestHost, request: IncomingRequest): void {
  const { path, refusal, response } = request;
  if (response === undefined) return;
  if (refusal !== undefined) send(host, request, refusal);
  else if (isControlTarget(path)) answerControl(host, request, response);
  else send(host, request, host.service.handle(unpacked(requestOf(request))));
}

function answerControl(
  host: RequestHost,
  request: IncomingRequest,
  response: ServerResponse,
): void {
  // Finished answers must not wait for this one.
  host.outbox.empty();
  const client = { hasLeft: () => response.closed };
  const deliver = ({ more, ...answer }: FollowedResponse): void => {
    if (more === undefined) send(host, request, answer);
    else follow(host, request, response, { ...answer, more });
  };
  const answer = host.service.begin(requestOf(request), client);
  if (answer instanceof Promise) void answer.then(deliver);
  else deliver(answer);
}

/** Sends an answer that may never end, so nothing can follow it on its connection. */
function follow(
  host: RequestHost,
  request: IncomingRequest,
  response: ServerResponse,
  { headers, ...answer }: FollowedResponse,
): void {
  stateOf(request.socket).isEnding = true;
  host.streams.add(response);
  response.once("close", () => host.streams.delete(response));
  begin(host, response, { ...answer, headers: { ...headers, connection: "close" } });
  sendEvents(response, answer);
}

/** Answers CONNECT, which asks for a tunnel. No HTTP follows on the connection. */
export function answerConnect(host: RequestHost, request: IncomingMessage): void {
  const { service, overtaking } = host;
  const { url: path = "", socket, httpVersion } = request;
  socket.on("error", () => socket.destroy());
  if (stateOf(socket).isEnding) return;
  const headers = fieldsOf(request);
  const [target = ""] = path.split("?");
  const refusal = service.inspect({ method: "CONNECT", path: target, headers, httpVersion });
  const response = refusal ?? service.handle({ method: "CONNECT", path, headers });
  const turn = (then: () => void): void => afterLatest(socket, then);
  answerLast(socket, { response, overtaking, world: worldOf(path), whenTurn: turn });
}

function send(host: RequestHost, request: IncomingRequest, answer: ApiResponse): void {
  const { response, path } = request;
  if (response === undefined) return;
  const { outbox, overtaking } = host;
  const { delivery } = answer;
  // Without a socket, another response on the connection comes first.
  const isNext = response.socket !== null;
  if (delivery === undefined && overtaking.isIdle && isNext) {
    request.answer = answer;
    outbox.put(request);
    return;
  }
  // Earlier answers of the connection must go out first, because Node writes them in order.
  outbox.empty();
  if (delivery !== undefined) {
    const outlet = createOutlet(host, request, response);
    void handOver({ response: answer, delivery, outlet, overtaking, world: worldOf(path) });
    return;
  }
  write(host, response, answer);
  if (!overtaking.isIdle && isNext && !isControlTarget(path)) {
    overtaking.handedOver({ world: worldOf(path), order: LATEST_ORDER });
  }
}

function write(host: RequestHost, response: ServerResponse, answer: ApiResponse): void {
  begin(host, response, answer);
  const isAscii = answer.headers["content-length"] === String(answer.body.length);
  // For ASCII, latin1 gives the same bytes and is faster.
  response.end(answer.body, isAscii ? "latin1" : "utf8");
}

function begin(
  host: RequestHost,
  response: ServerResponse,
  { status, headers }: ApiResponse,
): void {
  response.writeHead(status, host.isClosing ? { ...headers, connection: "close" } : headers);
}

function createOutlet(
  host: RequestHost,
  request: IncomingRequest,
  response: ServerResponse,
): Outlet {
  return {
    socket: request.socket,
    stream: response,
    whenTurn: (then) => whenTurn(response, then),
    begin: (answer) => begin(host, response, answer),
    end: (piece, sent) => response.end(piece, sent),
  };
}
