/** How a path names a world, as in `/@NAME/v1/click`, and which paths belong to the control API. */

/** Where the name in `/@NAME…` ends. */
export function endOfName(path: string): number {
  const after = path.slice(2).search(/[/?]/);
  return after === -1 ? path.length : after + 2;
}

/** Whether a path, without its world's prefix, belongs to the control API. */
export function isControlPath(path: string): boolean {
  return path.startsWith("/_sim") && (path.length === 5 || path[5] === "/" || path[5] === "?");
}

/** The same for a path with its world's prefix included. */
export function isControlTarget(path: string): boolean {
  return isControlPath(path.startsWith("/@") ? path.slice(endOfName(path)) : path);
}
