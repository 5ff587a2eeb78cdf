/**
 * Decides which web pages may read the API's answers, and writes the headers that tell browsers (Fetch standard, CORS
 * protocol). The spec leaves this open; `http.cors` decides. The control API has its own rules.
 */

import { InputError } from "../base/input.ts";
import { isLoopbackHost } from "../base/loopback.ts";
import type { Assumptions, Choice } from "../spec/assumptions/catalogue.ts";
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
/** The headers of an answer that its browser reads. */
export type CorsHeaders = Headers;

export interface Cors {
  /** Whether a page of this origin may read answers. */
  allows(origin: string): boolean;
  /** The headers to add to an answer; undefined if the request isn't from a page, or that page may not read the answer. */
  answerHeaders(sent: Headers): CorsHeaders | undefined;
  /** The same for a preflight. `methods` are those of its path. */
  preflightHeaders(sent: Headers, methods: readonly string[]): CorsHeaders | undefined;
}

export interface CorsParts {
  readonly origins: AllowedOrigins;
  readonly assumptions: Assumptions;
  readonly explain: boolean;
}

/** @throws InputError that quotes an invalid origin. */
export function parseCorsOption(given: CorsOption): AllowedOrigins {
  const all = typeof given === "string" ? [given] : given;
  const areTexts = Array.isArray(all) && all.every((each) => typeof each === "string");
  if (!areTexts)
    throw wrong('must be an origin such as "https://app.example", a list of them, "*" or "off"');
  if (all.includes("off") && all.length > 1) {
    throw wrong(
      'can\'t combine "off" with origins: "off" keeps all pages out. Leave out one or the other',
    );
  }
  const named = all.filter((each) => each !== "*" && each !== "off");
  for (const origin of named) checkOrigin(origin);
  return { isOff: all.includes("off"), isAny: all.includes("*"), named: new Set(named) };
}

/** @throws InputError for a text that no browser sends as Origin. */
function checkOrigin(text: string): void {
  const isPlain = /^[!-~]{1,100}$/.test(text) && !/key_/i.test(text);
  const quoted = isPlain ? JSON.stringify(text) : "the value given";
  if (text === "null" || /^file:/i.test(text)) {
    throw wrong(
      `can't be ${quoted}: all pages from files and sandboxes share the origin null. Serve the page over HTTP, or allow all pages with "*"`,
    );
  }
  const example =
    'must be an origin as browsers send it, such as "https://app.example" or "http://192.168.0.7:5173"';
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text)) {
    throw wrong(`${example}, with its scheme: ${quoted} has none`);
  }
  const isWeb = /^https?:/i.test(text);
  const origin = isWeb ? webOrigin(text) : text;
  if (origin === undefined || !/^[a-z0-9+.-]+:\/\/[\w.:[\]-]+$/.test(origin)) {
    throw wrong(`${example}: ${quoted} is not an origin. To allow all pages, use "*" alone`);
  }
  if (origin !== text)
    throw wrong(`${example}: write ${JSON.stringify(origin)} instead of ${quoted}`);
}

function webOrigin(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).origin : undefined;
}

function wrong(expected: string): InputError {
  return new InputError("cors", expected);
}

const letsPagesIn = { any: true, none: false } satisfies Record<Choice<"http.cors">, boolean>;

/** Undefined if no page may read anything. Answers then don't depend on the request's origin. */
export function createCors({ origins, assumptions, explain }: CorsParts): Cors | undefined {
  const { isOff, isAny, named } = origins;
  if (isOff || !letsPagesIn[assumptions["http.cors"]]) return undefined;
  const exposed = [
    "X-RateLimit-Remaining",
    "Retry-After",
    ...(explain ? ["X-Adsim-Assumptions", "X-Adsim-Fault"] : []),
  ].join(", ");
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
      // A page from the internet may reach into a private network only if the user named its origin. "*" isn't enough.
      const opensNetwork =
        origin !== "*" && headerOf(sent, "access-control-request-private-network") === "true";
      return {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": methods.join(", "),
        "access-control-allow-headers": allowedHeaders(sent),
        "access-control-max-age": MAX_AGE_SECONDS,
        ...(opensNetwork && { "access-control-allow-private-network": "true" }),
      };
    },
  };
}

/** Ten minutes. By default browsers ask again after 5 seconds. */
const MAX_AGE_SECONDS = "600";

function isLoopbackOrigin(origin: string): boolean {
  const host = /^https?:\/\/([^/:]+|\[[^/]*\])(:\d{1,5})?$/.exec(origin)?.[1];
  return host !== undefined && isLoopbackHost(host);
}

/** The API's own headers and all that the page wants to send, such as those of a tracing library. */
function allowedHeaders(sent: Headers): string {
  const asked = (headerOf(sent, "access-control-request-headers") ?? "").slice(
    0,
    MAX_REQUESTED_HEADERS_LENGTH,
  );
  const names = asked
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
  const tokens = names.filter((name) => /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name));
  return [...new Set(["authorization", "content-type", ...tokens])].join(", ");
}

/** In characters. */
const MAX_REQUESTED_HEADERS_LENGTH = 1024;

/** Whether it is a CORS-preflight request (Fetch standard), by which a browser asks whether a page may send another one. */
export function isPreflight(method: string, headers: Headers): boolean {
  if (method !== "OPTIONS") return false;
  const asked = headerOf(headers, "access-control-request-method") ?? "";
  return asked !== "" && headerOf(headers, "origin") !== undefined;
}
