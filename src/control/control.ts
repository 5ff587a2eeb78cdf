/** The control API: finds the route of a request, reads the request, and answers. The guards have checked access before. */

import { InputError } from "../base/input.ts";
import { percentDecoded } from "../base/text.ts";
import { headerOf, type PlainRequest } from "../exchange/plain-request.ts";
import { withoutBody } from "../exchange/respond.ts";
import type { WorldRef, WorldsControl } from "../simulator/worlds.ts";
import type { ApiResponse, FollowedResponse } from "../spec/messages.ts";
import { isBrowser } from "./browsers.ts";
import { baseUrlOf, readBody, readQuery } from "./read-request.ts";
import { inputProblem, nothing, problem } from "./responses.ts";
import type { ControlCall, ControlModules, ControlRoute } from "./route.ts";
import { controlRoutes } from "./routes.ts";

/** `serverId`: see {@link ControlCall}. */
export function createControl(modules: ControlModules, serverId = ""): WorldsControl {
  return {
    refusal: inputProblem,
    answer(request, ref, client) {
      const finish = (response: FollowedResponse = nothing): FollowedResponse =>
        request.method === "HEAD" ? { ...withoutBody(response), more: undefined } : response;
      const refuse = (error: unknown): FollowedResponse => {
        if (error instanceof InputError) return finish(inputProblem(error));
        throw error;
      };
      try {
        const response = answer(request, ref, { client, modules, serverId });
        return response instanceof Promise ? response.then(finish, refuse) : finish(response);
      } catch (error) {
        return refuse(error);
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
  const { name: worldName, prefix, worlds } = ref;
  const header = (name: string): string | undefined => headerOf(headers, name);
  const below = path.slice("/_sim/".length);
  // The page is there for browsers only. Programs read what there is instead.
  const isHidden = below === "" && !isBrowser(header("accept"));
  const routes = controlRoutes.filter((one) => !isHidden && patternOf(one).test(below));
  const route = routes.find((one) => one.method === (method === "HEAD" ? "GET" : method));
  if (route === undefined) return refusal(path, routes);
  const parts = patternOf(route).exec(below)?.groups;
  return route.answer({
    // A getter, because not every route needs the world, and opening it creates it.
    get world() {
      return ref.open();
    },
    ...{ worlds, worldName, prefix, header },
    baseUrl: baseUrlOf(header("host"), prefix),
    part: (name) => percentDecoded(parts?.[name] ?? "") ?? "",
    query: readQuery(query, route.query),
    body: readBody(request, route),
    ...others,
  });
}

/** Matches the paths of a route. */
function patternOf({ path }: ControlRoute): RegExp {
  return new RegExp(`^${path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
}

/** Says which paths there are, or which methods the path has. */
function refusal(path: string, routes: readonly ControlRoute[]): ApiResponse {
  if (routes.length === 0) {
    const paths = new Set(controlRoutes.flatMap((one) => one.path || []));
    const detail = `The control API has nothing at this path. Below /_sim/ it has: ${[...paths].join(", ")}. The inspector at /_sim/ is for whoever accepts text/html, as a browser does.`;
    return problem("not-found", detail, "path");
  }
  const allow = routes.map(({ method }) => (method === "GET" ? "GET, HEAD" : method)).join(", ");
  return problem("method-not-allowed", `${path} supports only ${allow}.`, "method", { allow });
}
