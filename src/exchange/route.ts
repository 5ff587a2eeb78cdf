/** Finds the operation of a method and a path. Paths are compared as sent, without decoding or normalising. */

import { methodsOf, type Operation, operations } from "../spec/operations.ts";
import { type Refusal, refused } from "./operations/outcome.ts";

export type Route =
  | { readonly kind: "operation"; readonly operation: Operation }
  | (Refusal & {
      /** The methods of the path, if it belongs to an operation: the value of Allow. */
      readonly methods?: readonly string[];
    });

const all = Object.values<Operation>(operations);
const existing = all.map(({ method, path }) => `${method} ${path}`).join(", ");

export function route(method: string, path: string): Route {
  const operation = all.find((each) => each.path === path);
  if (operation === undefined) {
    return refused(
      "route_not_found",
      `No operation answers at this path. The operations are: ${existing}. Paths are compared exactly.`,
    );
  }
  const methods = methodsOf(operation);
  if (methods.includes(method)) return { kind: "operation", operation };
  const detail = `${path} supports only ${methods.join(" and ")}.`;
  return { ...refused("method_not_allowed", detail), methods };
}
