/**
 * Decides which web pages may read the API's answers, and writes the headers that tell browsers (Fetch standard, CORS
 * protocol). The spec leaves this open; `http.cors` decides. The control API has its own rules. Host names that can only be this
 * machine, whatever a DNS server says, are recognised here.
 */

import { InputError } from "../base/input.ts";
import { shownName } from "../base/text.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import { headerOf } from "./plain-request.ts";

/** Origins whose pages may call the API in addition to loopback origins; `"*"` for all, or `"off"` for none at all. */
export type CorsOption = string | readonly string[];

/** A checked {@link CorsOption}: origins, `"*"` and `"off"`. */
type AllowedOrigins = ReadonlySet<string>;

type Headers = Readonly<Record<string, string>>;

/** @throws InputError that quotes an invalid origin. */
export function parseCorsOption(given: CorsOption): AllowedOrigins {
  const all: readonly unknown[] = typeof given === "string" ? [given] : given;
  const wrong = Array.isArray(all) ? all.find((each) => !isAllowable(each)) : all;
  if (wrong !== undefined) {
    const quoted = typeof wrong === "string" ? `, not ${JSON.stringify(shownName(wrong))}` : "";
    const example = '"https://app.example" or "http://192.168.0.7:5173"';
    const expected = `must be an origin as browsers send it, such as ${example}, a list of them, "*" or "off"`;
    const isWeb = /^https?:\/\//i.test(String(wrong)) && URL.canParse(String(wrong));
    const hint = isWeb ? `. Did you mean "${new URL(String(wrong)).origin}"?` : "";
    throw new InputError("cors", `${expected}${quoted}${hint}`);
  }
  if (all.includes("off") && all.length > 1) {
    throw new InputError("cors", 'can\'t combine "off" with origins: "off" keeps all pages out');
  }
  return new Set(all.map(String));
}

/** A browser's extension has an origin, a file has none. */
function isAllowable(text: unknown): boolean {
  if (text === "*" || text === "off") return true;
  if (typeof text !== "string" || !URL.canParse(text)) return false;
  const isOrigin = /^(?!file:)[a-z][a-z0-9+.-]*:\/\/[\w.:[\]-]+$/.test(text);
  return isOrigin && (!text.startsWith("http") || new URL(text).origin === text);
}

/** What decides about pages. */
export interface CorsWorld {
  /** The origins whose pages may read answers. */
  readonly origins: AllowedOrigins;
  readonly assumptions: Assumptions;
  /** Whether every response has a header that lists the assumptions that shaped it. */
  readonly explain: boolean;
}

export type Cors = NonNullable<ReturnType<typeof createCors>>;

/** Undefined if no page may read anything. Answers then don't depend on the request's origin. */
export function createCors({ origins, assumptions, explain }: CorsWorld) {
  if (origins.has("off") || assumptions["http.cors"] === "none") return undefined;
  const explained = explain ? ", X-Adsim-Assumptions, X-Adsim-Fault" : "";
  const exposed = `Date, X-RateLimit-Remaining, Retry-After${explained}`;
  const isKnown = (origin: string): boolean => origins.has(origin) || isLoopbackOrigin(origin);

  /** The value of Access-Control-Allow-Origin. */
  function granted(sent: Headers): string | undefined {
    const origin = headerOf(sent, "origin");
    if (origin === undefined) return undefined;
    if (isKnown(origin)) return origin;
    return origins.has("*") ? "*" : undefined;
  }

  return {
    /** Whether a page of this origin may read answers. */
    allows: (origin: string): boolean => origins.has("*") || isKnown(origin),
    /** The headers to add to an answer; undefined if the request isn't from a page, or that page may not read the answer. */
    answerHeaders(sent: Headers): Headers | undefined {
      const origin = granted(sent);
      if (origin === undefined) return undefined;
      return { "access-control-allow-origin": origin, "access-control-expose-headers": exposed };
    },
    /** The same for a preflight. `methods` are those of its path. */
    preflightHeaders(sent: Headers, methods: readonly string[]): Headers | undefined {
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

/** Whether a host is this machine. `host` is written as in a URL or a Host header, without a port. */
export function isLoopbackHost(host: string): boolean {
  // A dot at the end marks a fully qualified name.
  const name = host.toLowerCase().replace(/\.$/, "");
  return (
    name === "localhost" ||
    /^[a-z0-9._-]+\.localhost$/.test(name) ||
    /^127(\.\d{1,3}){3}$/.test(name) ||
    /^\[[0:]*:0*1\]$/.test(name)
  );
}
