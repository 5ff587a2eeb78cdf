/**
 * One HTTP request to plain data, and its answer back. This is the server's hot path: no promise, no closure, no URL
 * object and no stream for a request.
 */

import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isControlTarget } from "../../base/world-path.ts";
import { worldOf } from "../../simulator/worlds.ts";
import type { ApiRequest, ApiResponse } from "../../spec/messages.ts";
import { isWork, runToEnd } from "../../spec/work.ts";
import { LATEST_ORDER, type Overtaking } from "../hold-back.ts";
import { http } from "./builtins.ts";
import { afterLatest, stateOf, whenTurn } from "./connection-state.ts";
import { handOver, type Outlet } from "./deliveries.ts";
import { answerLast } from "./last-answer.ts";
import type { Outbox, PendingAnswer } from "./outbox.ts";
import { holdUntilAnswered, queueInput } from "./paused-input.ts";
import type { Service } from "./service.ts";
import type { Slices } from "./slices.ts";

/** What answers requests, and how their answers go out. */
export interface RequestHost {
  readonly service: Service;
  /** Where answers wait for the end of the turn, one of each connection at most. */
  readonly outbox: Outbox;
  /** Counts what is handed over for the responses that wait to be overtaken. */
  readonly overtaking: Overtaking;
  /** Where control requests are answered. */
  readonly slices: Slices;
  /** Counts a request of a connection, so that the others get their turn. */
  readonly countRequest: (socket: Socket) => void;
  /** Whether connections are no longer kept for another request. */
  isClosing: boolean;
}

/**
 * A request on its way in. No stream: Node's parser hands the pieces of the body to {@link push}, and that is all that
 * happens to them. The turns and events of a stream were a sixth of an impression's cost, and a quarter of a report's.
 */
export class IncomingRequest extends http.IncomingMessage implements PendingAnswer {
  /** Who waits for the request; undefined where nobody does, so that its body is dropped. */
  host: RequestHost | undefined = undefined;
  response: ServerResponse | undefined = undefined;
  path = "";
  query = "";
  fields: Readonly<Record<string, string>> = noFields;
  /** Decided by the head alone; the body is read and dropped, so that the client gets to read this. */
  refusal: ApiResponse | undefined = undefined;
  /** What waits in the outbox. */
  answer: ApiResponse | undefined = undefined;
  /** What was kept of the body: mostly it comes in one piece. */
  first: Buffer | undefined = undefined;
  others: Buffer[] | undefined = undefined;
  keptBytes = 0;
  limitBytes = 0;
  receivedBytes = 0;

  /** Takes a piece of the body, or null at its end. @returns that there is room for more. */
  override push(piece: Buffer | null): boolean {
    const { host } = this;
    if (host === undefined) return true;
    if (piece === null) finish(host, this);
    else keep(host, this, piece);
    return true;
  }

  writeAnswer(): void {
    const { host, response, answer } = this;
    // A connection remembers its last request, and an answer can be a snapshot.
    this.answer = undefined;
    if (host === undefined || response === undefined || answer === undefined) return;
    write(host, response, answer);
  }

  /** Node calls this to let the body of an answered request pass. Nothing holds it up. */
  override resume(): this {
    return this;
  }
}

const noFields: Readonly<Record<string, string>> = Object.freeze({});

/** How much of a body beyond its limit is read and dropped before the connection is given up. */
const MAX_DROPPED_BYTES = 64 * 1024 * 1024;

/** Takes in a request and answers it once it has arrived. */
export function receive(
  host: RequestHost,
  request: IncomingRequest,
  response: ServerResponse,
): void {
  const state = stateOf(request.socket);
  if (state.isEnding) {
    // Sent ahead of an answer after which there are no more: nobody reads on.
    request.socket.pause();
    return;
  }
  state.latest = response;
  request.host = host;
  request.response = response;
  request.fields = fieldsOf(request);
  readTarget(request);
  const { method = "", fields, path, httpVersion } = request;
  const { service } = host;
  request.refusal = service.inspect({ method, path, headers: fields, httpVersion });
  request.limitBytes = request.refusal === undefined ? service.bodyLimit({ method, path }) + 1 : 0;
}

/** Header fields by lower-case name. The server joins repeated ones as fetch's Headers does, save for Set-Cookie. */
function fieldsOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const cookies = headers["set-cookie"];
  // Every field but this one is a string.
  const fields = headers as Readonly<Record<string, string>>;
  return cookies === undefined ? fields : { ...fields, "set-cookie": cookies.join(", ") };
}

/** Path and query from the request target. A target with scheme and host overrules the Host header (RFC 9112 §3.2.2). */
function readTarget(request: IncomingRequest): void {
  let target = request.url ?? "";
  if (target.charCodeAt(0) !== SLASH) {
    const absolute = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target);
    if (absolute?.[1] !== undefined) {
      // Two Host headers, joined by a comma, stay wrong.
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
/** The first byte of a byte order mark, which is a matter for the reader of the body. */
const BYTE_ORDER_MARK = 0xef;

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
    giveUp(host, request, request.refusal ?? answerNow(host.service, requestOf(request)));
  }
}

/** Answers a request whose body doesn't end, and gives its connection up. */
function giveUp({ overtaking }: RequestHost, request: IncomingRequest, answer: ApiResponse): void {
  const { path, socket, response } = request;
  const turn = (act: () => void): void => response && whenTurn(response, act);
  answerLast(socket, { response: answer, overtaking, world: worldOf(path), whenTurn: turn });
}

/** Takes what was kept of the body: as text where the bytes say no more than text can, for that is read faster. */
function takeBody(request: IncomingRequest): string | Uint8Array {
  const { first, others, keptBytes, limitBytes } = request;
  if (first === undefined) return "";
  // A connection remembers its last request, and a body can be a snapshot of 256 MiB.
  request.first = undefined;
  request.others = undefined;
  const bytes = others === undefined ? first : Buffer.concat([first, ...others], keptBytes);
  // A body that was cut off must keep its length in bytes: that is what it's refused for.
  const isText = keptBytes < limitBytes && bytes[0] !== BYTE_ORDER_MARK && isUtf8(bytes);
  return isText ? bytes.toString() : bytes;
}

function requestOf(request: IncomingRequest): ApiRequest {
  const { method = "", path, query, fields } = request;
  return { method, path, query, headers: fields, body: takeBody(request) };
}

function finish(host: RequestHost, request: IncomingRequest): void {
  const { path, refusal, response, socket } = request;
  // What a connection asks for happens in that order.
  if (response === undefined || queueInput(socket, () => finish(host, request))) return;
  if (refusal !== undefined || !isControlTarget(path)) {
    host.countRequest(socket);
    send(host, request, refusal ?? answerNow(host.service, requestOf(request)));
  } else {
    answerInSlices(host, request, response);
  }
}

/** The service answers at once. */
function answerNow(service: Service, request: ApiRequest): ApiResponse {
  const answer = service.begin(request);
  return isWork(answer) ? runToEnd(answer) : answer;
}

/** Answers a request to tunnel, after which there is no HTTP on the connection. */
export function answerConnect(host: RequestHost, request: IncomingMessage): void {
  const { service, overtaking } = host;
  const { url: path = "", socket, httpVersion } = request;
  socket.on("error", () => socket.destroy());
  if (stateOf(socket).isEnding) return;
  const headers = fieldsOf(request);
  const [target = ""] = path.split("?");
  const refusal = service.inspect({ method: "CONNECT", path: target, headers, httpVersion });
  const response = refusal ?? answerNow(service, { method: "CONNECT", path, headers });
  const turn = (act: () => void): void => afterLatest(socket, act);
  answerLast(socket, { response, overtaking, world: worldOf(path), whenTurn: turn });
}

/** A control request can take seconds. */
function answerInSlices(
  host: RequestHost,
  request: IncomingRequest,
  response: ServerResponse,
): void {
  holdUntilAnswered(request.socket, response);
  host.slices.answer({
    response,
    begin() {
      // Answers that are ready must not wait for this one.
      host.outbox.empty();
      return host.service.begin(requestOf(request));
    },
    failed: host.service.failed,
    send: (answer) => send(host, request, answer),
    sendHead: (answer) => begin(host, response, answer),
  });
}

function send(host: RequestHost, request: IncomingRequest, answer: ApiResponse): void {
  const { response, path } = request;
  if (response === undefined) return;
  const { outbox, overtaking } = host;
  const { delivery } = answer;
  // Without a socket it stands behind another on its connection.
  const isNext = response.socket !== null;
  if (delivery === undefined && overtaking.isIdle && isNext) {
    request.answer = answer;
    outbox.put(request);
    return;
  }
  // What stands before it must not wait any longer: Node writes one answer of a connection after another.
  outbox.empty();
  if (delivery !== undefined) {
    const outlet = createOutlet(host, request, response);
    handOver({ response: answer, delivery, outlet, overtaking, world: worldOf(path) });
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
  // The same bytes, written faster.
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
    whenTurn: (act) => whenTurn(response, act),
    begin: (answer) => begin(host, response, answer),
    end: (piece, sent) => response.end(piece, sent),
  };
}
