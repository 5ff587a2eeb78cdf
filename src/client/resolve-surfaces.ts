/** Finds the configured surfaces. Each must exist once and be active (spec §1, §2). */

import type { Surface } from "./api.ts";
import type { ApiError } from "./result.ts";

/**
 * @param surfaceNames Names or ids.
 * @returns the ids by name and by id.
 * @throws InitError that names every surface that doesn't exist, is ambiguous or isn't active.
 */
export function resolveSurfaces(
  surfaceNames: readonly string[],
  all: readonly Surface[],
): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const wrong: string[] = [];
  for (const one of surfaceNames) {
    const [found, other] = all.filter(({ id, name }) => id === one || name === one);
    if (found === undefined) {
      wrong.push(`"${one}" doesn't exist`);
    } else if (other !== undefined) {
      wrong.push(`"${one}" is ambiguous: use its id`);
    } else if (found.status !== "active") {
      wrong.push(`"${one}" has the status "${found.status}", not "active"`);
    } else {
      ids.set(one, found.id).set(found.id, found.id);
    }
  }
  if (wrong.length === 0) return ids;
  const there = all.map(({ id, name }) => `"${name}" (${id})`).join(", ") || "none";
  throw new InitError(`Surfaces: ${wrong.join("; ")}. The publisher has ${there}.`);
}

/** The error of a client that couldn't be started. It is thrown, because nothing works without `init`. */
export class InitError extends Error {
  override readonly name = "InitError";
  /** The failed call. Undefined if the configured surfaces are wrong. */
  readonly error: ApiError | undefined;
  /** The HTTP status, if an error response is the reason. */
  readonly status: number | undefined;

  constructor(message: string, error?: ApiError) {
    super(message);
    this.error = error;
    this.status = error?.status;
  }
}
