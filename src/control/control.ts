/** The control API: finds the route of a request, reads the request, and answers. The guards have checked access before. */

import { InputError } from "../base/input.ts";
import { headerOf, type PlainRequest } from "../exchange/plain-request.ts";
import { withoutBody } from "../exchange/respond.ts";
import type { HostedCore } from "../simulator/core.ts";
import type { MaybeLater, WaitingClient, WorldRef, WorldsControl } from "../simulator/worlds.ts";
import type { ApiResponse, FollowedResponse } from "../spec/messages.ts";
import { prefersHtml } from "./browsers.ts";
import {
  baseUrlOf,
  decodedPart,
  MAX_CONTROL_BODY_BYTES,
  readBody,
  readQuery,
  refusalOfBody,
} from "./read-request.ts";
import { inputProblem, problemResponse } from "./responses.ts";
import type { ControlCall, ControlModules, ControlRoute } from "./route.ts";
import { controlRoutes } from "./routes.ts";

/** What the requests to one server share. */
type Shared = Pick<ControlCall, "modules" | "stateOf">;

/** @param serverId Tells the ids of this server's events from those of another one. */
export function createControl(modules: ControlModules, serverId = ""): WorldsControl {
  const shared = { modules, stateOf: createStateNames(serverId) };
  return {
    refusal: inputProblem,
    answer(request, ref, client) {
      const refuse = (error: unknown): ApiResponse => {
        if (error instanceof InputError) return inputProblem(error);
        throw error;
      };
      const finish = (response: FollowedResponse): FollowedResponse =>
        request.method === "HEAD" ? { ...withoutBody(response), more: undefined } : response;
      try {
        const response = answer(request, ref, client, shared);
        if (!(response instanceof Promise)) return finish(response);
        return response.catch(refuse).then(finish);
      } catch (error) {
        return finish(refuse(error));
      }
    },
  };
}

function createStateNames(serverId: string): Shared["stateOf"] {
  const numbers = new WeakMap<HostedCore, number>();
  let worlds = 0;
  return (world) => {
    const number = numbers.get(world) ?? ++worlds;
    numbers.set(world, number);
    return `${serverId}${number}-${world.journal.restarts}`;
  };
}

function answer(
  request: PlainRequest,
  ref: WorldRef,
  client: WaitingClient,
  shared: Shared,
): MaybeLater<FollowedResponse> {
  const sent = partsOf(request.path);
  const routes = routesAt(sent);
  const method = request.method === "HEAD" ? "GET" : request.method;
  const route = routes.find((one) => one.method === method);
  const isPage = routes[0]?.path === "";
  if (routes.length === 0 || (isPage && !prefersHtml(headerOf(request.headers, "accept")))) {
    return noSuchPath();
  }
  if (route === undefined) return wrongMethod(routes);
  const refusal = request.body.length > 0 ? refusalOfBody(request, route) : undefined;
  if (refusal !== undefined) return refusal;
  const parts = route.path.split("/").map((part, index) => {
    const name = part.slice(1);
    return [name, decodedPart(sent[index] ?? "", name)] as const;
  });
  const header = (name: string): string | undefined => headerOf(request.headers, name);
  return route.answer({
    // A getter, because not every route needs the world, and opening it creates it.
    get world() {
      return ref.open();
    },
    worlds: ref.worlds,
    worldName: ref.name,
    prefix: ref.prefix,
    baseUrl: baseUrlOf(header("host"), ref.prefix),
    header,
    part: (name) => new Map(parts).get(name) ?? "",
    query: readQuery(request.query, route.query ?? {}),
    body: readBody(request, route),
    client,
    ...shared,
  });
}

/** The largest body allowed for this method and path, in bytes. */
export function controlBodyLimit(method: string, path: string): number {
  const routes = routesAt(partsOf(path));
  const route = routes.find((one) => one.method === method);
  return route?.body?.maxBytes ?? MAX_CONTROL_BODY_BYTES;
}

function partsOf(path: string): readonly string[] {
  return path.slice(path.indexOf("/_sim") + "/_sim/".length).split("/");
}

/** The routes of a path. Where a literal and a placeholder match, the literal does. */
function routesAt(sent: readonly string[]): readonly ControlRoute[] {
  const matches = ({ path }: ControlRoute): boolean => {
    const parts = path.split("/");
    const isMatch = (part: string, index: number): boolean =>
      part === sent[index] || (part.startsWith(":") && sent[index] !== "");
    return parts.length === sent.length && parts.every(isMatch);
  };
  const path = controlRoutes.some((route) => route.path === sent.join("/"))
    ? sent.join("/")
    : controlRoutes.find(matches)?.path;
  return controlRoutes.filter((route) => route.path === path);
}

/** Says what there is. */
function noSuchPath(): ApiResponse {
  const named = controlRoutes.filter(({ path }) => path !== "");
  const paths = [...new Set(named.map(({ path }) => `/_sim/${path}`))].join(", ");
  const detail = `The control API has nothing at this path. It has: ${paths}. /_sim/ itself is a page for browsers.`;
  return problemResponse({ kind: "not-found", detail, field: "path" });
}

function wrongMethod(routes: readonly ControlRoute[]): ApiResponse {
  const allow = routes.map(({ method }) => (method === "GET" ? "GET, HEAD" : method)).join(", ");
  return problemResponse({
    kind: "method-not-allowed",
    detail: `/_sim/${routes[0]?.path} supports only the methods ${allow}.`,
    field: "method",
    headers: { allow },
  });
}
