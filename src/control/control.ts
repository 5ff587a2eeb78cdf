/** The control API: turns requests into calls of the worlds' own objects. The guards have checked access before. */

import { InputError } from "../base/input.ts";
import { headerOf } from "../exchange/headers.ts";
import type { PlainRequest } from "../exchange/plain-request.ts";
import { withoutBody } from "../exchange/respond.ts";
import type { HostedCore } from "../simulator/simulator.ts";
import type { WorldRef, WorldsControl } from "../simulator/worlds.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { headOf, isWork, type LongResponse, type Work } from "../spec/work.ts";
import { prefersHtml } from "./browsers.ts";
import { decode, MAX_CONTROL_BODY_BYTES, type Query, readBody, readQuery } from "./input.ts";
import { commonHeaders, inputProblem, problemResponse, textResponse } from "./problem.ts";
import type { ControlLoader, ControlModules, ControlRoute, EventStreams, Reply } from "./route.ts";
import { controlRoutes } from "./routes.ts";

export interface ControlOptions {
  /** The control token. No refusal repeats it, wherever it was sent. */
  readonly controlToken?: string | undefined;
  /** @default loads nothing */
  readonly load?: ControlLoader | undefined;
  /** Tells the ids of this server's events from those of another one. @default "" */
  readonly serverId?: string | undefined;
}

const JSON_TYPE = "application/json";
/** Shorter answers are written in one piece. */
const SHORT_CHARACTERS = 65_536;

interface Row {
  readonly route: ControlRoute;
  readonly parts: readonly string[];
}

const rows: readonly Row[] = controlRoutes.map((route) => ({
  route,
  parts: route.path.split("/"),
}));

/** The options, and what the requests to one server share. */
interface Shared extends ControlOptions {
  readonly streams: EventStreams;
}

export function createControl(options: ControlOptions = {}): WorldsControl {
  const shared: Shared = { ...options, streams: createStreams(options.serverId ?? "") };
  return {
    refusal: inputProblem,
    *answer(request, ref) {
      const response = yield* answerSafely(request, ref, shared);
      return request.method === "HEAD" ? withoutBody(headOf(response)) : response;
    },
  };
}

function createStreams(serverId: string): EventStreams {
  const numbers = new WeakMap<HostedCore, number>();
  let worlds = 0;
  return {
    open: 0,
    stateOf(world) {
      const number = numbers.get(world) ?? worlds + 1;
      if (number > worlds) numbers.set(world, number);
      worlds = Math.max(worlds, number);
      return `${serverId}${number}-${world.journal.restarts}`;
    },
  };
}

function* answerSafely(request: PlainRequest, ref: WorldRef, options: Shared): Work<LongResponse> {
  try {
    return yield* answer(request, ref, options);
  } catch (error) {
    if (error instanceof InputError) return inputProblem(withoutToken(error, options.controlToken));
    throw error;
  }
}

/** A token that consists of letters may look like a field's name or a choice, and so get into an error. */
function withoutToken(error: InputError, token: string | undefined): InputError {
  const { field, message, expected, reason } = error;
  const quoted = JSON.stringify(token);
  if (token === undefined || !(field.split(".").includes(token) || message.includes(quoted))) {
    return error;
  }
  const hidden = field.replaceAll(token, "(unprintable)");
  return new InputError(hidden, expected.replaceAll(quoted, '"(unprintable)"'), reason);
}

function* answer(
  request: PlainRequest,
  ref: WorldRef,
  { load = loadNothing, streams }: Shared,
): Work<LongResponse> {
  const { path, query: queryString } = request;
  const sent = path.slice("/_sim/".length).split("/");
  const isBrowser = prefersHtml(headerOf(request.headers, "accept"));
  const matching = rowsFor(sent).filter(({ route }) => isBrowser || route.isForBrowsers !== true);
  const [first] = matching;
  if (first === undefined) return noSuchPath();
  const method = request.method === "HEAD" ? "GET" : request.method;
  const row = matching.find(({ route }) => route.method === method);
  if (row === undefined) return wrongMethod(first.route.path, matching);

  const { route, parts } = row;
  const query: Query = readQuery(queryString, route.query ?? []);
  const decoded = new Map(
    parts.map((part, index) => [part.slice(1), decode(sent[index] ?? "", part.slice(1))]),
  );
  const body = yield* readBody(request, route);
  if (body.kind === "refused") return body.response;
  if (body.kind === "json" && (route.body ?? "none") === "none") {
    throw new InputError("body", "must not be sent here: this route ignores it");
  }
  if (body.kind === "none" && route.body === "required") {
    throw new InputError("body", "is required: a JSON object");
  }
  const reply = route.answer({
    // A getter, because not every route needs the world, and opening it creates it.
    get world() {
      return ref.open();
    },
    worlds: ref.worlds,
    worldName: ref.name,
    prefix: ref.prefix,
    header: (name) => headerOf(request.headers, name),
    streams,
    part: (name) => decoded.get(name) ?? "",
    query,
    body: body.kind === "json" ? body.value : {},
    load: (name) => loadModule(load, name),
  });
  return toResponse(isWork(reply) ? yield* reply : reply);
}

const loadNothing: ControlLoader = (_, done) => done(undefined);

function* loadModule<Name extends keyof ControlModules>(
  load: ControlLoader,
  name: Name,
): Work<ControlModules[Name] | undefined> {
  let found: ControlModules[Name] | undefined;
  yield (done) =>
    load(name, (module) => {
      found = module;
      done();
    });
  return found;
}

/** The largest body allowed for this method and path, in bytes. */
export function controlBodyLimit(method: string, path: string): number {
  return routeFor(method, path)?.maxBodyBytes ?? MAX_CONTROL_BODY_BYTES;
}

function routeFor(method: string, path: string): ControlRoute | undefined {
  const sent = path.slice(path.indexOf("/_sim") + "/_sim/".length).split("/");
  return rowsFor(sent).find(({ route }) => route.method === method)?.route;
}

/** A literal match excludes routes that match by a placeholder. */
function rowsFor(sent: readonly string[]): readonly Row[] {
  const matching = rows.filter(({ parts }) => matches(parts, sent));
  const exact = matching.filter(({ parts }) => parts.every((part, index) => part === sent[index]));
  return exact.length > 0 ? exact : matching;
}

function matches(parts: readonly string[], sent: readonly string[]): boolean {
  return (
    parts.length === sent.length &&
    parts.every(
      (part, index) => part === sent[index] || (part.startsWith(":") && sent[index] !== ""),
    )
  );
}

function toResponse(reply: Reply): LongResponse {
  switch (reply.kind) {
    case "pieces":
      return inPieces(reply);
    case "json":
      return jsonResponse(200, reply.value);
    case "created":
      return jsonResponse(201, reply.value, { location: reply.location });
    case "text":
      return textResponse({ ...reply, status: 200, body: reply.text });
    case "events":
      return followed(reply);
    case "nothing":
      return { status: 204, headers: commonHeaders, body: "" };
  }
}

function followed({ events, id, isOpenEnded }: Extract<Reply, { kind: "events" }>): LongResponse {
  const headers = {
    "content-type": "text/event-stream",
    // nginx would keep the events back.
    "x-accel-buffering": "no",
    ...commonHeaders,
  };
  // After a break, browsers would wait three seconds or more. By the id they say that they come again.
  const body = `retry: 1000\nid: ${id}\n\n`;
  return { status: 200, headers, body, rest: events, isOpenEnded };
}

/** Short answers are sent whole, with a Content-Length. */
function inPieces({
  contentType = JSON_TYPE,
  pieces,
}: Extract<Reply, { kind: "pieces" }>): LongResponse {
  const rest = pieces[Symbol.iterator]();
  let body = "";
  for (let next = rest.next(); !next.done; next = rest.next()) {
    body += next.value;
    if (body.length < SHORT_CHARACTERS) continue;
    return { status: 200, headers: { "content-type": contentType, ...commonHeaders }, body, rest };
  }
  return textResponse({ status: 200, contentType, body });
}

function jsonResponse(
  status: number,
  value: unknown,
  headers?: Readonly<Record<string, string>>,
): ApiResponse {
  const body = JSON.stringify(value);
  return textResponse({ status, contentType: JSON_TYPE, body, headers });
}

function noSuchPath(): ApiResponse {
  const listed = controlRoutes.filter(({ isForBrowsers }) => isForBrowsers !== true);
  const paths = [...new Set(listed.map(({ path }) => `/_sim/${path}`))].join(", ");
  return problemResponse({
    kind: "not-found",
    detail: `The control API has nothing at this path. It has: ${paths}.`,
    field: "path",
  });
}

function wrongMethod(path: string, matching: readonly Row[]): ApiResponse {
  const methods = matching.flatMap(({ route }) =>
    route.method === "GET" ? ["GET", "HEAD"] : [route.method],
  );
  const allow = methods.join(", ");
  return problemResponse({
    kind: "method-not-allowed",
    detail: `/_sim/${path} supports only the methods ${allow}.`,
    field: "method",
    headers: { allow },
  });
}
