/** Method and path to operation. Paths are compared as sent: nothing is decoded, normalised or trimmed. */

import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import { type Operation, type OperationId, operations } from "../contract/operations.ts";
import { type Refused, refused } from "./outcome.ts";

export type Route =
  | { readonly kind: "operation"; readonly operation: Operation }
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

/** What answers at one path, by method. */
interface Row {
  readonly path: string;
  readonly methods: ReadonlyMap<string, Route>;
  readonly wrongMethod: Route;
}

export function createRouter(assumptions: Assumptions): Router {
  const head = answersHead[assumptions["http.head"]];
  const normalise = knownPath[assumptions["http.trailing-slash"]];
  const rows = Object.values<Operation>(operations).map((operation): Row => {
    const { method, path } = operation;
    const allowed = method === "GET" && head ? ["GET", "HEAD"] : [method];
    return {
      path,
      methods: new Map(allowed.map((each) => [each, { kind: "operation", operation }])),
      wrongMethod: wrongMethod(assumptions, path, allowed),
    };
  });
  // The five paths differ in length, so comparing them in turn costs less than hashing what was sent.
  function rowAt(path: string): Row | undefined {
    for (const row of rows) if (row.path === path) return row;
    return undefined;
  }
  return (method, path) => {
    const row = rowAt(path) ?? rowAt(normalise(path));
    return row === undefined ? notFound : (row.methods.get(method) ?? row.wrongMethod);
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
