/** Finds the operation of a method and a path. Paths are compared as sent, without decoding or normalising. */

import { methodsOf, type Operation, type OperationId, operations } from "../spec/operations.ts";
import { type Refusal, refused } from "./operations/outcome.ts";

export type Route =
  | { readonly kind: "operation"; readonly operation: Operation }
  | (Refusal & {
      /** The methods of the path, if it belongs to an operation: the value of Allow. */
      readonly methods?: readonly string[];
    });

export type Router = (method: string, path: string) => Route;

const existing = (Object.keys(operations) as OperationId[])
  .map((id) => `${operations[id].method} ${operations[id].path}`)
  .join(", ");

const notFound = refused({
  code: "route_not_found",
  detail: `No operation answers at this path. The operations are: ${existing}. Paths are compared exactly.`,
});

/** The routes of one path. */
interface Row {
  readonly path: string;
  readonly methods: readonly string[];
  readonly found: Route;
  readonly wrongMethod: Route;
}

const rows: readonly Row[] = Object.values<Operation>(operations).map((operation) => {
  const methods = methodsOf(operation);
  return {
    path: operation.path,
    methods,
    found: { kind: "operation", operation },
    wrongMethod: {
      ...refused({
        code: "method_not_allowed",
        detail: `${operation.path} supports only ${methods.join(" and ")}.`,
      }),
      methods,
    },
  };
});

export const route: Router = (method, path) => {
  const row = rows.find((each) => each.path === path);
  if (row === undefined) return notFound;
  return row.methods.includes(method) ? row.found : row.wrongMethod;
};
