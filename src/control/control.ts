/** The control API: finds the route of a request, reads the request, and answers. The guards have checked access before. */

import { InputError } from "../base/input.ts";
import { percentDecoded } from "../base/text.ts";
import { headerOf, type PlainRequest } from "../exchange/plain-request.ts";
import { withoutBody } from "../exchange/respond.ts";
import type { WorldRef, WorldsControl } from "../simulator/worlds.ts";
import type { ApiResponse, FollowedResponse } from "../spec/messages.ts";
import { isBrowser } from "./browsers.ts";
import { baseUrlOf, MAX_CONTROL_BODY_BYTES, readBody, readQuery } from "./read-request.ts";
import { inputProblem, nothing, problemResponse } from "./responses.ts";
import type { ControlCall, ControlModules, ControlRoute } from "./route.ts";
import { controlRoutes } from "./routes.ts";

/** `serverId`: see {@link ControlCall}. */
export function createControl(modules: ControlModules, serverId = ""): WorldsControl {
  return {
    refusal: inputProblem,
    answer(request, ref, client) {
      const refuse = (error: unknown): ApiResponse => {
        if (error instanceof InputError) return inputProblem(error);
        throw error;
      };
      const finish = (response: FollowedResponse = nothing): FollowedResponse =>
        request.method === "HEAD" ? { ...withoutBody(response), more: undefined } : response;
      try {
        const response = answer(request, ref, { client, modules, serverId });
        if (!(response instanceof Promise)) return finish(response);
        return response.catch(refuse).then(finish);
      } catch (error) {
        return finish(refuse(error));
      }
    },
  };
}

function answer(
  request: PlainRequest,
  ref: WorldRef,
  others: Pick<ControlCall, "client" | "modules" | "serverId">,
): ReturnType<ControlRoute["answer"]> {
  const { method, path, query, headers } = request;
  const sent = partsOf(path);
  const routes = routesAt(sent);
  const [first] = routes;
  const header = (name: string): string | undefined => headerOf(headers, name);
  // The page is there for browsers only. Programs read what there is instead.
  if (first === undefined || (first.path === "" && !isBrowser(header("accept")))) {
    return noSuchPath();
  }
  const route = routes.find((one) => one.method === (method === "HEAD" ? "GET" : method));
  if (route === undefined) return wrongMethod(first.path, routes);
  const parts = route.path.split("/");
  const { name: worldName, prefix, worlds } = ref;
  return route.answer({
    // A getter, because not every route needs the world, and opening it creates it.
    get world() {
      return ref.open();
    },
    worlds,
    worldName,
    prefix,
    baseUrl: baseUrlOf(header("host"), prefix),
    header,
    part: (name) => sent[parts.indexOf(`:${name}`)] ?? "",
    query: readQuery(query, route.query ?? {}),
    body: readBody(request, route.body),
    ...others,
  });
}

/** The largest body allowed for this method and path, in bytes. */
export function controlBodyLimit(method: string, path: string): number {
  const route = routesAt(partsOf(path)).find((one) => one.method === method);
  return route?.body?.maxBytes ?? MAX_CONTROL_BODY_BYTES;
}

/** The parts of the path below `/_sim/`, decoded. One that can't be decoded is empty, and matches no placeholder. */
function partsOf(path: string): readonly string[] {
  const parts = path.slice(path.indexOf("/_sim") + "/_sim/".length).split("/");
  return parts.map((part) => percentDecoded(part) ?? "");
}

function routesAt(sent: readonly string[]): readonly ControlRoute[] {
  return controlRoutes.filter(({ path }) => {
    const parts = path.split("/");
    const isMatch = (part: string, index: number): boolean =>
      part === sent[index] || (part.startsWith(":") && sent[index] !== "");
    return parts.length === sent.length && parts.every(isMatch);
  });
}

/** Says what there is. */
function noSuchPath(): ApiResponse {
  const named = controlRoutes.filter(({ path }) => path !== "");
  const paths = [...new Set(named.map(({ path }) => `/_sim/${path}`))].join(", ");
  const detail = `The control API has nothing at this path. It has: ${paths}. A browser gets the inspector at /_sim/.`;
  return problemResponse({ kind: "not-found", detail, field: "path" });
}

function wrongMethod(path: string, routes: readonly ControlRoute[]): ApiResponse {
  const allow = routes.map(({ method }) => (method === "GET" ? "GET, HEAD" : method)).join(", ");
  const detail = `/_sim/${path} supports only the methods ${allow}.`;
  return problemResponse({
    kind: "method-not-allowed",
    detail,
    field: "method",
    headers: { allow },
  });
}
