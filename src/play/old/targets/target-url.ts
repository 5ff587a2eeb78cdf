/** Parses a target's URL and speed. */

import { InputError } from "../../../base/input.ts";

export interface TargetUrl {
  /** As given, without a slash at the end. */
  readonly url: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path prefix of every request, without a slash at the end. */
  readonly prefix: string;
  /** Whether the path ends in a world's name: `/@NAME`. */
  readonly namesWorld: boolean;
}

/** @throws InputError for anything but a plain http or https URL. */
export function readTargetUrl(target: string | URL): TargetUrl {
  const text = String(target);
  if (!URL.canParse(text)) {
    throw new InputError("target", 'must be a URL, such as "http://127.0.0.1:4010"');
  }
  const { protocol, origin, pathname, search, hash, username, password } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") {
    throw new InputError("target", "must be a URL that begins with http:// or https://");
  }
  if (username !== "" || password !== "") {
    throw new InputError(
      "target",
      "must be a URL without user and password: give keys as options of their own",
    );
  }
  if (search !== "" || hash !== "") {
    throw new InputError("target", "must be a URL without ? and #: requests add their own");
  }
  const prefix = pathname.replace(/\/+$/, "");
  return { url: `${origin}${prefix}`, origin, prefix, namesWorld: /\/@[^/]+$/.test(prefix) };
}

/** @throws InputError unless `speed` is a number above 0. */
export function readSpeed(speed: number): number {
  if (Number.isFinite(speed) && speed > 0) return speed;
  throw new InputError("speed", "must be a number above 0. 1 is real time");
}
