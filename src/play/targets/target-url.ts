/** A target's URL and speed, parsed, and the error that is about neither. */

import { InputError } from "../../base/input.ts";

export interface TargetUrl {
  /** As given, without a slash at the end. */
  readonly url: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path prefix of every request, without a slash at the end. */
  readonly prefix: string;
  /** The world that the path names at its end: `/@NAME`. */
  readonly worldName: string | undefined;
}

/** A target can't be reached, or refuses what a play needs. The message says what to do. */
export class TargetError extends Error {
  override readonly name = "TargetError";
}

/** @throws InputError for anything but a plain http or https URL. */
export function readTargetUrl(target: string | URL): TargetUrl {
  const must = (be: string): never => {
    throw new InputError("target", `must be a URL ${be}`);
  };
  const text = String(target);
  if (!URL.canParse(text)) must('such as "http://127.0.0.1:4010"');
  const { protocol, origin, pathname, search, hash, username, password } = new URL(text);
  if (!/^https?:$/.test(protocol)) must("that begins with http:// or https://");
  if (username || password || search || hash) must("without user, password, ? and #");
  const prefix = pathname.replace(/\/+$/, "");
  const worldName = /\/@([^/]+)$/.exec(prefix)?.[1];
  return { url: `${origin}${prefix}`, origin, prefix, worldName };
}

/** @throws InputError unless `speed` is a number above 0. */
export function readSpeed(speed: number): number {
  if (Number.isFinite(speed) && speed > 0) return speed;
  throw new InputError("speed", "must be a number above 0. 1 is real time");
}
