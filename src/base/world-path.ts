/** Finds the world's name in a path such as `/@NAME/v1/click`, and recognises paths of the control API. */

/** The index where the name in `/@NAME…` ends. */
export function endOfName(path: string): number {
  const after = path.slice(2).search(/[/?]/);
  return after === -1 ? path.length : after + 2;
}

/** Whether a path without a world's prefix belongs to the control API. */
export function isControlPath(path: string): boolean {
  return path.startsWith("/_sim") && (path.length === 5 || path[5] === "/" || path[5] === "?");
}

/** The same for a path that may have a world's prefix. */
export function isControlTarget(path: string): boolean {
  return isControlPath(path.startsWith("/@") ? path.slice(endOfName(path)) : path);
}
