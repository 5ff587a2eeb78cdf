/** Finds the operation that a client may have meant by a path or method that none has. */

import { editDistance } from "../../base/did-you-mean.ts";
import { percentDecoded } from "../../base/text.ts";
import { type Operation, operations } from "../../spec/operations.ts";
import { quotedValue } from "./similarity.ts";

export interface NearestRoute {
  readonly operation: Operation;
  readonly sent: string;
  readonly closest: string;
}

/** Characters of a path to compare. */
const MAX_COMPARED = 200;

export function nearestRoute(method: string, path: string): NearestRoute {
  const read = normalizedPath(path);
  const [nearest] = Object.values<Operation>(operations)
    .map((operation) => ({ operation, edits: distanceTo(operation, method, read) }))
    .sort((left, right) => left.edits - right.edits);
  const isSimilar = nearest !== undefined && nearest.edits * 2 <= read.length;
  const operation: Operation = isSimilar ? nearest.operation : fallbackOperation(method);
  return {
    operation,
    sent: `${quotedValue(method)} ${quotedValue(path)}`,
    closest: `${operation.method} ${operation.path}`,
  };
}

/** An example, if the path is like none of the operations' paths. */
function fallbackOperation(method: string): Operation {
  return method === "POST" ? operations.impression : operations.surfaces;
}

/** Corrects frequent mistakes: case, blanks, extra slashes, a wrong or repeated version. */
function normalizedPath(path: string): string {
  const beginning = path.slice(0, MAX_COMPARED);
  const segments = (percentDecoded(beginning) ?? beginning)
    .toLowerCase()
    .split("/")
    .map((segment) => segment.trim())
    .filter((segment) => segment !== "");
  // The base URL ends with the last version.
  const version = segments.findLastIndex((segment) => /^v\d[\d.]*$/.test(segment));
  return ["", "v1", ...segments.slice(version + 1)].join("/");
}

/** A wrong method counts less than a wrong letter in the path. */
function distanceTo(operation: Operation, method: string, path: string): number {
  const whole = editDistance(path, operation.path);
  const last = editDistance(lastSegment(path), lastSegment(operation.path)) + 1;
  const otherMethod =
    (method === "HEAD" ? "GET" : method.toUpperCase()) === operation.method ? 0 : 1;
  return Math.min(whole, last) + otherMethod / 2;
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
