/** Finds the operation of a method and a path. Paths are compared as sent, without decoding or normalising. */

import { methodsOf, type Operation, type OperationId, operations } from "../spec/operations.ts";
import { type Refusal, refused } from "./operations/outcome.ts";

const all = Object.values<Operation>(operations);
const existing = all.map(({ method, path }) => `${method} ${path}`).join(", ");

export function route(method: string, path: string): OperationId | Refusal {
  const operation = all.find((each) => each.path === path);
  if (operation === undefined) {
    return refused(
      "route_not_found",
      `No operation answers at this path. The operations are: ${existing}. Paths are compared exactly.`,
    );
  }
  const methods = methodsOf(operation);
  if (methods.includes(method)) return operation.id;
  const detail = `${path} supports only ${methods.join(" and ")}.`;
  return { ...refused("method_not_allowed", detail), methods };
}
