/** Method and path to operation. Paths are compared as sent: nothing is decoded, normalised or trimmed. */

import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import { type Operation, type OperationId, operations } from "../contract/operations.ts";
import { type Refused, refused } from "./outcome.ts";

/** `operation` is what the path stands for, even where the method is wrong: its quota is the one to report. */
export type Route =
  | { readonly kind: "operation"; readonly operation: Operation; readonly head: boolean }
  | (Refused & { readonly allow?: string });

export type Router = (method: string, path: string) => Route;

const knownPath = {
  "404": (path: string) => path,
  same: (path: string) => (path.endsWith("/") ? path.slice(0, -1) : path),
} satisfies Record<Choice<"http.trailing-slash">, (path: string) => string>;

const answersHead = { supported: true, "405": false } satisfies Record<
  Choice<"http.head">,
  boolean
>;

const existing = (Object.keys(operations) as OperationId[])
  .map((id) => `${operations[id].method} ${operations[id].path}`)
  .join(", ");

const notFound = refused({
  code: "route_not_found",
  detail: `No operation answers at this path. The operations are: ${existing}. Paths are compared exactly.`,
});

export function createRouter(assumptions: Assumptions): Router {
  const head = answersHead[assumptions["http.head"]];
  const normalise = knownPath[assumptions["http.trailing-slash"]];
  const routes = new Map<string, ReadonlyMap<string, Route>>();
  const refusals = new Map<string, Route>();
  for (const operation of Object.values<Operation>(operations)) {
    const methods = new Map<string, Route>();
    methods.set(operation.method, { kind: "operation", operation, head: false });
    if (operation.method === "GET" && head) {
      methods.set("HEAD", { kind: "operation", operation, head: true });
    }
    routes.set(operation.path, methods);
    refusals.set(operation.path, wrongMethod(assumptions, operation.path, [...methods.keys()]));
  }
  return (method, path) => {
    const known = routes.get(path) === undefined ? normalise(path) : path;
    return routes.get(known)?.get(method) ?? refusals.get(known) ?? notFound;
  };
}

function wrongMethod(assumptions: Assumptions, path: string, allowed: readonly string[]): Route {
  const readings = {
    "405": {
      ...refused({
        code: "method_not_allowed",
        detail: `${path} answers ${allowed.join(" and ")} only.`,
      }),
      allow: allowed.join(", "),
    },
    "404": notFound,
  } satisfies Record<Choice<"errors.method">, Route>;
  return readings[assumptions["errors.method"]];
}
