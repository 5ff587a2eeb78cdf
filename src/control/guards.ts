/**
 * Decides who may use the control API, and who may create a world. The control API hands out keys and deletes state, so no web
 * page of another origin may reach it, nor one whose host name was rebound to this machine (DNS rebinding). Where a control
 * token is set, the token decides instead. A foreign page may call the API of an existing world, like any client without a key.
 */

import { fromBase64, orUndefined, utf8Text } from "../base/text.ts";
import { type Cors, isLoopbackHost } from "../exchange/cors.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { problemResponse } from "./responses.ts";

type Headers = Readonly<Record<string, string>>;
/** Returns the refusal of a request with these headers, or undefined if it is allowed. */
type Guard = (headers: Headers) => ApiResponse | undefined;

export interface Guards {
  /** For the control API. */
  readonly control: Guard;
  /** For an API request that would create a world: otherwise a page could create any number of them. */
  readonly newWorld: Guard;
}

export interface GuardOptions {
  /** The address that the server is bound to. */
  readonly address: string;
  /** The host that the user chose to bind to. */
  readonly host: string;
  /** Compares a text with the control token in constant time; undefined without a token. */
  readonly isToken: ((sent: string) => boolean) | undefined;
  /** Which pages may call the API; undefined if none may. */
  readonly cors: Cors | undefined;
}

export function createGuards({ address, host, isToken, cors }: GuardOptions): Guards {
  const isLocal = /^(?:(?:::ffff:)?127\.\d+\.\d+\.\d+|::1)$/.test(address);
  // Other machines may use names for this server that it doesn't know.
  const isRebound = (headers: Headers): boolean => isLocal && !namesThisMachine(headers.host, host);
  if (isToken !== undefined) {
    const hasToken = (headers: Headers): boolean => {
      const { bearer, password } = credentialsIn(headers.authorization);
      // Browsers add a password by themselves, even if another site's page asks.
      return isToken(bearer) || (!isForeign(headers) && isToken(password));
    };
    return {
      control(headers) {
        if (hasToken(headers)) return undefined;
        return isForeign(headers) ? forbidden("origin", says.origin) : unauthorized;
      },
      newWorld: (headers) => (hasToken(headers) ? undefined : noWorld("world", says.worldToken)),
    };
  }
  return {
    control(headers) {
      if (!isLocal) return forbidden(undefined, says.reachable);
      if (isRebound(headers)) return forbidden("host", says.host);
      return isForeign(headers) ? forbidden("origin", says.origin) : undefined;
    },
    newWorld(headers) {
      if (isRebound(headers)) return noWorld("host", says.worldHost);
      const { origin } = headers;
      const isAllowed = origin !== undefined && cors?.allows(origin) === true;
      return isForeign(headers) && !isAllowed ? noWorld("origin", says.worldOrigin) : undefined;
    },
  };
}

/** The token of a program, or the password that a person gave to a browser, whose user name can be any. */
function credentialsIn(authorization = ""): { readonly bearer: string; readonly password: string } {
  // The scheme's name ignores case (RFC 9110 §11.1).
  const bearer = /^bearer +(.*)$/i.exec(authorization)?.[1] ?? "";
  const basic = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization)?.[1] ?? "";
  const credentials = orUndefined(() => utf8Text(fromBase64(basic))) ?? "";
  return { bearer, password: /^[^:]*:(.*)$/s.exec(credentials)?.[1] ?? "" };
}

/**
 * Whether a browser says that another site's page is behind a request. Only browsers send `Sec-Fetch-Site`, and no page can
 * change it. They send it over TLS and to this machine; elsewhere the page's host is compared with the one that was asked.
 */
function isForeign({ host = "", origin, "sec-fetch-site": site }: Headers): boolean {
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  // A tunnel or proxy that ends TLS changes the scheme.
  return origin !== undefined && origin.replace(/^https?:\/\//, "") !== host.toLowerCase();
}

function namesThisMachine(header: string | undefined, host: string): boolean {
  const name = (header ?? "").replace(/:\d*$/, "").toLowerCase();
  const chosen = host.toLowerCase();
  return isLoopbackHost(name) || [chosen, `${chosen}.`, `[${chosen}]`].includes(name);
}

const forbidden = (field: string | undefined, detail: string): ApiResponse =>
  problemResponse({ kind: "forbidden", detail, field });
const noWorld = (field: string, detail: string): ApiResponse =>
  problemResponse({ kind: "no-world", detail, field });

/** What to do instead. */
const says = {
  reachable:
    "This server can be reached from other machines, and the control API gives out keys. Start it with --control-token TOKEN (controlToken) and send Authorization: Bearer TOKEN (a browser asks for it as the password), or bind it to 127.0.0.1.",
  host: "The Host header must name this machine, such as localhost or 127.0.0.1: any other name may be a web page's rebound DNS name. Behind a tunnel or a proxy, start the server with --control-token TOKEN (a browser asks for it as the password); for a name of this machine's own, with --host NAME.",
  origin:
    "A web page of another origin can't use the control API. If you followed a link, enter its address in the browser by hand.",
  worldHost:
    "A request creates a world only if its Host header names this machine, such as localhost or 127.0.0.1: another name may be a web page's rebound DNS name. Create the world first with a request to /@NAME/_sim/health at localhost, or start the server with --host NAME to use a name of your own.",
  worldOrigin:
    "Web pages of this origin may not call the API, so they can't create a world. Start the server with --cors ORIGIN, where ORIGIN is the page's, such as https://app.example. If the page needn't read answers, create the world first with a request to /@NAME/_sim/health from a terminal.",
  worldToken:
    "There is no such world, and on this server only a request with the control token creates one. Create it first: GET /@NAME/_sim/health with Authorization: Bearer TOKEN is enough.",
};

const unauthorized = problemResponse({
  kind: "unauthorized",
  detail:
    "Send the token that the server was started with: Authorization: Bearer TOKEN, or the token as the password of HTTP Basic authentication, with any user name.",
  field: "authorization",
  // A browser asks for the password.
  headers: { "www-authenticate": 'Basic realm="adsim control", Bearer realm="adsim control"' },
});
