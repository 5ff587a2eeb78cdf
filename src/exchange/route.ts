/** Finds the operation of a method and a path. Paths are compared as sent, without decoding or normalising. */

import type { Assumptions, Choice } from "../spec/assumptions/catalogue.ts";
import { methodsOf, type Operation, type OperationId, operations } from "../spec/operations.ts";
import { documented, type Refusal, refused, type ShapedBy } from "./operations/outcome.ts";

export type Route =
  | {
      readonly kind: "operation";
      readonly operation: Operation;
      readonly shapedBy: ShapedBy;
    }
  | {
      /** Redirects to the operation's path, which ends with `segment`. */
      readonly kind: "redirect";
      readonly operation: Operation;
      readonly segment: string;
      readonly shapedBy: ShapedBy;
    }
  | (Refusal & {
      /** The value of Allow. */
      readonly allow?: string;
      /** The methods of the path, if it belongs to an operation. */
      readonly methods?: readonly string[];
    });

export type Router = (method: string, path: string) => Route;

/** The route of a path with a slash at its end. `route` is the one without the slash. */
const slashed = {
  "404": () => notFound,
  same: (route) => route,
  "308": (route) => (route.kind === "operation" ? redirectTo(route) : route),
} satisfies Record<Choice<"http.trailing-slash">, (route: Route) => Route>;

function redirectTo({ operation, shapedBy }: Extract<Route, { kind: "operation" }>): Route {
  const segment = operation.path.slice(operation.path.lastIndexOf("/") + 1);
  return { kind: "redirect", operation, segment, shapedBy };
}

const existing = (Object.keys(operations) as OperationId[])
  .map((id) => `${operations[id].method} ${operations[id].path}`)
  .join(", ");

const notFound = refused({
  code: "route_not_found",
  detail: `No operation answers at this path. The operations are: ${existing}. Paths are compared exactly.`,
});

/** The routes of one path by method. */
interface Row {
  readonly path: string;
  /** One or two. A loop is faster than a map. */
  readonly methods: readonly { readonly method: string; readonly route: Route }[];
  readonly wrongMethod: Route;
}

export function createRouter(assumptions: Assumptions): Router {
  const withSlash = slashed[assumptions["http.trailing-slash"]];
  const rows = Object.values<Operation>(operations).map((operation): Row => {
    const allowed = methodsOf(operation, assumptions);
    return {
      path: operation.path,
      methods: allowed.map((each) => ({
        method: each,
        route: {
          kind: "operation",
          operation,
          shapedBy: each === "HEAD" ? ["http.head"] : documented,
        },
      })),
      wrongMethod: wrongMethod(assumptions, operation, allowed),
    };
  });
  // The five paths differ in length, so a loop is faster than a map, which would hash the whole path.
  function rowAt(path: string): Row | undefined {
    for (const row of rows) if (row.path === path) return row;
    return undefined;
  }
  function routeOf(row: Row, method: string): Route {
    for (const answered of row.methods) if (answered.method === method) return answered.route;
    return row.wrongMethod;
  }
  return (method, path) => {
    const row = rowAt(path);
    if (row !== undefined) return routeOf(row, method);
    const named = path.endsWith("/") ? rowAt(path.slice(0, -1)) : undefined;
    if (named === undefined) return notFound;
    const route = withSlash(routeOf(named, method));
    return { ...route, shapedBy: [...route.shapedBy, "http.trailing-slash"] };
  };
}

function wrongMethod(
  assumptions: Assumptions,
  { method, path }: Operation,
  allowed: readonly string[],
): Route {
  // `http.head` decides whether a path with GET also has HEAD.
  const shapedBy: ShapedBy = method === "GET" ? ["errors.method", "http.head"] : ["errors.method"];
  const routes = {
    "405": {
      ...refused(
        {
          code: "method_not_allowed",
          detail: `${path} supports only ${allowed.join(" and ")}.`,
        },
        ...shapedBy,
      ),
      allow: allowed.join(", "),
      methods: allowed,
    },
    "404": { ...notFound, shapedBy, methods: allowed },
  } satisfies Record<Choice<"errors.method">, Route>;
  return routes[assumptions["errors.method"]];
}

/**
 * The Location of a redirect from a path with a slash at its end. It is relative, so that it stays in the same world and
 * under the same base URL. Keeps the query; percent-encodes characters that a header can't have or that would end the query.
 */
export function locationOf(segment: string, query: string): string {
  const kept = query.toWellFormed().replaceAll(/[^!"$-~]+/g, (text) => encodeURIComponent(text));
  return `../${segment}${kept === "" ? "" : `?${kept}`}`;
}
