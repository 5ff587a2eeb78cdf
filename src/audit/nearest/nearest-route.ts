/** The operation that somebody may have meant whose path or method none has. */

import { editDistance } from "../../base/edit-distance.ts";
import { percentDecoded } from "../../base/text.ts";
import { type Operation, operations } from "../../spec/operations.ts";
import { quotedValue } from "./similarity.ts";

export interface NearestRoute {
  readonly operation: Operation;
  readonly sent: string;
  readonly closest: string;
}

/** Longer paths are compared by their beginnings. */
const LONGEST = 200;

export function nearestRoute(method: string, path: string): NearestRoute {
  const read = normalizedPath(path);
  const [nearest] = Object.values<Operation>(operations)
    .map((operation) => ({ operation, edits: distanceTo(operation, method, read) }))
    .sort((left, right) => left.edits - right.edits);
  const isLike = nearest !== undefined && nearest.edits * 2 <= read.length;
  const operation: Operation = isLike ? nearest.operation : fallbackOperation(method);
  return {
    operation,
    sent: `${quotedValue(method)} ${quotedValue(path)}`,
    closest: `${operation.method} ${operation.path}`,
  };
}

/** Stands for all, where a path is like none of theirs. */
function fallbackOperation(method: string): Operation {
  return method === "POST" ? operations.impression : operations.surfaces;
}

/** A path with what is often wrong about it put right. */
function normalizedPath(path: string): string {
  const beginning = path.slice(0, LONGEST);
  const segments = (percentDecoded(beginning) ?? beginning)
    .toLowerCase()
    .split("/")
    .map((segment) => segment.trim())
    .filter((segment) => segment !== "");
  // Whatever stands before the version belongs to a base URL, and a version named twice too.
  const version = segments.findLastIndex((segment) => /^v\d[\d.]*$/.test(segment));
  return ["", "v1", ...segments.slice(version + 1)].join("/");
}

/** The method counts less than a letter of the path does. */
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
