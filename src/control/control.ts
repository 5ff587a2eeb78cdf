/** The control API: turns requests into calls of the worlds' own objects. The guards have checked access before. */

import { InputError } from "../base/input.ts";
import type { PlainRequest } from "../exchange/plain-request.ts";
import { headerOf } from "../exchange/plain-request.ts";
import { withoutBody } from "../exchange/respond.ts";
import type { HostedCore } from "../simulator/core.ts";
import type { MaybeLater, WaitingClient, WorldRef, WorldsControl } from "../simulator/worlds.ts";
import type { ApiResponse, FollowedResponse } from "../spec/messages.ts";
import { prefersHtml } from "./browsers.ts";
import { decode, MAX_CONTROL_BODY_BYTES, type Query, readBody, readQuery } from "./input.ts";
import { commonHeaders, inputProblem, problemResponse, textResponse } from "./problem.ts";
import type { ControlCall, ControlModules, ControlRoute, Reply } from "./route.ts";
import { controlRoutes } from "./routes.ts";

export interface ControlOptions {
  /** The control token. No refusal repeats it, wherever it was sent. */
  readonly controlToken?: string | undefined;
  /** @default none */
  readonly modules?: ControlModules | undefined;
  /** Tells the ids of this server's events from those of another one. @default "" */
  readonly serverId?: string | undefined;
}

const JSON_TYPE = "application/json";

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
  readonly stateOf: ControlCall["stateOf"];
}

export function createControl(options: ControlOptions = {}): WorldsControl {
  const shared: Shared = { ...options, stateOf: createStateNames(options.serverId ?? "") };
  return {
    refusal: inputProblem,
    answer(request, ref, client) {
      const refused = (error: unknown): ApiResponse => {
        if (!(error instanceof InputError)) throw error;
        return inputProblem(error);
      };
      const finish = ({ more, ...response }: FollowedResponse): FollowedResponse =>
        request.method === "HEAD" ? withoutBody(response) : { ...response, more };
      try {
        const response = answer(request, ref, client, shared);
        return response instanceof Promise
          ? response.catch(refused).then(finish)
          : finish(response);
      } catch (error) {
        return finish(refused(error));
      }
    },
  };
}

function createStateNames(serverId: string): ControlCall["stateOf"] {
  const numbers = new WeakMap<HostedCore, number>();
  let worlds = 0;
  return (world) => {
    const number = numbers.get(world) ?? worlds + 1;
    if (number > worlds) numbers.set(world, number);
    worlds = Math.max(worlds, number);
    return `${serverId}${number}-${world.journal.restarts}`;
  };
}

function answer(
  request: PlainRequest,
  ref: WorldRef,
  client: WaitingClient,
  { modules = {}, stateOf }: Shared,
): MaybeLater<FollowedResponse> {
  const { path, query: queryString } = request;
  const sent = path.slice("/_sim/".length).split("/");
  const isBrowser = prefersHtml(headerOf(request.headers, "accept"));
  const matching = rowsFor(sent).filter(({ route }) => isBrowser || route.isForBrowsers !== true);
  const [first] = matching;
  if (first === undefined) return noSuchPath(path);
  const method = request.method === "HEAD" ? "GET" : request.method;
  const row = matching.find(({ route }) => route.method === method);
  if (row === undefined) return wrongMethod(first.route.path, matching);

  const { route, parts } = row;
  const query: Query = readQuery(queryString, route.query ?? []);
  const decoded = new Map(
    parts.map((part, index) => [part.slice(1), decode(sent[index] ?? "", part.slice(1))]),
  );
  const body = readBody(request, route);
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
    client,
    stateOf,
    modules,
    part: (name) => decoded.get(name) ?? "",
    query,
    body: body.kind === "json" ? body.value : {},
  });
  return reply instanceof Promise ? reply.then(toResponse) : toResponse(reply);
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

function toResponse(reply: Reply): FollowedResponse {
  switch (reply.kind) {
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

function followed({ text, more }: Extract<Reply, { kind: "events" }>): FollowedResponse {
  const headers = {
    "content-type": "text/event-stream",
    // nginx would keep the events back.
    "x-accel-buffering": "no",
    ...commonHeaders,
  };
  return { status: 200, headers, body: text, more };
}

function jsonResponse(
  status: number,
  value: unknown,
  headers?: Readonly<Record<string, string>>,
): ApiResponse {
  const body = JSON.stringify(value);
  return textResponse({ status, contentType: JSON_TYPE, body, headers });
}

function noSuchPath(path: string): ApiResponse {
  const hint = path === "/_sim/" ? " To see what happens in this world, open it in a browser." : "";
  const listed = controlRoutes.filter(({ isForBrowsers }) => isForBrowsers !== true);
  const paths = [...new Set(listed.map(({ path }) => `/_sim/${path}`))].join(", ");
  return problemResponse({
    kind: "not-found",
    detail: `The control API has nothing at this path. It has: ${paths}.${hint}`,
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
