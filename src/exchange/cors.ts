/**
 * Decides which web pages may read the API's answers, and writes the headers that tell browsers (Fetch standard, CORS
 * protocol). The spec leaves this open; `http.cors` decides. The control API has its own rules.
 */

import { InputError } from "../base/input.ts";
import { isLoopbackHost } from "../base/loopback.ts";
import { shownName } from "../base/text.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import { headerOf } from "./headers.ts";

/** Origins whose pages may call the API in addition to loopback origins; `"*"` for all, or `"off"` for none at all. */
export type CorsOption = string | readonly string[];

/** A checked {@link CorsOption}. */
export interface AllowedOrigins {
  readonly isOff: boolean;
  readonly isAny: boolean;
  readonly named: ReadonlySet<string>;
}

type Headers = Readonly<Record<string, string>>;

export interface Cors {
  /** Whether a page of this origin may read answers. */
  allows(origin: string): boolean;
  /** The headers to add to an answer; undefined if the request isn't from a page, or that page may not read the answer. */
  answerHeaders(sent: Headers): Headers | undefined;
  /** The same for a preflight. `methods` are those of its path. */
  preflightHeaders(sent: Headers, methods: readonly string[]): Headers | undefined;
}

const ORIGIN_EXPECTED =
  'must be an origin as browsers send it, such as "https://app.example" or "http://192.168.0.7:5173", a list of them, "*" or "off"';

/** @throws InputError that quotes an invalid origin. */
export function parseCorsOption(given: CorsOption): AllowedOrigins {
  const all: readonly unknown[] = typeof given === "string" ? [given] : given;
  if (!Array.isArray(all) || !all.every((each) => typeof each === "string")) {
    throw new InputError("cors", ORIGIN_EXPECTED);
  }
  if (all.includes("off") && all.length > 1) {
    throw new InputError("cors", 'can\'t combine "off" with origins: "off" keeps all pages out');
  }
  const named = all.filter((each) => each !== "*" && each !== "off");
  for (const origin of named) checkOrigin(origin);
  return { isOff: all.includes("off"), isAny: all.includes("*"), named: new Set(named) };
}

function checkOrigin(text: string): void {
  // A browser's extension has an origin, a file has none.
  const isOrigin = /^(?!file:)[a-z][a-z0-9+.-]*:\/\/[\w.:[\]-]+$/.test(text);
  const isWeb = /^https?:\/\//i.test(text) && URL.canParse(text);
  const origin = isWeb ? new URL(text).origin : text;
  if (isOrigin && origin === text) return;
  const hint = origin === text ? "" : `. Did you mean ${JSON.stringify(origin)}?`;
  const quoted = JSON.stringify(shownName(text));
  throw new InputError("cors", `${ORIGIN_EXPECTED}, not ${quoted}${hint}`);
}

export interface CorsParts {
  readonly origins: AllowedOrigins;
  readonly assumptions: Assumptions;
  readonly explain: boolean;
}

/** Undefined if no page may read anything. Answers then don't depend on the request's origin. */
export function createCors({ origins, assumptions, explain }: CorsParts): Cors | undefined {
  const { isOff, isAny, named } = origins;
  if (isOff || assumptions["http.cors"] === "none") return undefined;
  const explained = explain ? ", X-Adsim-Assumptions, X-Adsim-Fault" : "";
  const exposed = `Date, X-RateLimit-Remaining, Retry-After${explained}`;
  const isKnown = (origin: string): boolean => named.has(origin) || isLoopbackOrigin(origin);

  /** The value of Access-Control-Allow-Origin. */
  function granted(sent: Headers): string | undefined {
    const origin = headerOf(sent, "origin");
    if (origin === undefined) return undefined;
    if (isKnown(origin)) return origin;
    return isAny ? "*" : undefined;
  }

  return {
    allows: (origin) => isAny || isKnown(origin),
    answerHeaders(sent) {
      const origin = granted(sent);
      if (origin === undefined) return undefined;
      return { "access-control-allow-origin": origin, "access-control-expose-headers": exposed };
    },
    preflightHeaders(sent, methods) {
      const origin = granted(sent);
      if (origin === undefined) return undefined;
      return {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": methods.join(", "),
        "access-control-allow-headers": allowedHeaders(sent),
        // Ten minutes. By default browsers ask again after 5 seconds.
        "access-control-max-age": "600",
      };
    },
  };
}

function isLoopbackOrigin(origin: string): boolean {
  const host = /^https?:\/\/([^/:]+|\[[^/]*\])(:\d{1,5})?$/.exec(origin)?.[1];
  return host !== undefined && isLoopbackHost(host);
}

/** The API's own headers and all that the page wants to send, such as those of a tracing library. */
function allowedHeaders(sent: Headers): string {
  const asked = (headerOf(sent, "access-control-request-headers") ?? "").slice(0, 1024);
  const names = asked.split(",").map((name) => name.trim().toLowerCase());
  const tokens = names.filter((name) => /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name));
  return [...new Set(["authorization", "content-type", ...tokens])].join(", ");
}

/** Whether it is a CORS-preflight request (Fetch standard), by which a browser asks whether a page may send another one. */
export function isPreflight(method: string, headers: Headers): boolean {
  if (method !== "OPTIONS") return false;
  const asked = headerOf(headers, "access-control-request-method") ?? "";
  return asked !== "" && headerOf(headers, "origin") !== undefined;
}
