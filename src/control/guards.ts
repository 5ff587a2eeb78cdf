/**
 * Decides who may use the control API, and who may create a world. The control API hands out keys and deletes state, so no web
 * page of another origin may reach it, nor one whose host name was rebound to this machine (DNS rebinding). Where a control
 * token is set, the token decides instead. A foreign page may call the API of an existing world, like any client without a key.
 */

import { fromBase64, orUndefined, utf8Text } from "../base/text.ts";
import { type Cors, isLoopbackHost } from "../exchange/cors.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { problem } from "./responses.ts";

type Headers = Readonly<Record<string, string>>;

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

export type Guards = ReturnType<typeof createGuards>;

/** Each guard returns the refusal of a request with these headers, or undefined if it is allowed. */
export function createGuards({ address, host, isToken, cors }: GuardOptions) {
  const isLocal = /^(?:(?:::ffff:)?127\.\d+\.\d+\.\d+|::1)$/.test(address);
  // Other machines may use names for this server that it doesn't know.
  const isRebound = (headers: Headers): boolean => isLocal && !namesThisMachine(headers.host, host);
  return {
    /** For the control API. */
    control(headers: Headers): ApiResponse | undefined {
      if (isToken !== undefined && hasToken(headers, isToken)) return undefined;
      if (isToken === undefined && !isLocal) return problem("forbidden", says.reachable);
      if (isToken === undefined && isRebound(headers))
        return problem("forbidden", says.host, "host");
      if (isForeign(headers)) return problem("forbidden", says.origin, "origin");
      return isToken && problem("unauthorized", says.token, "authorization", asksForPassword);
    },
    /** For an API request that would create a world: otherwise a page could create any number of them. */
    newWorld(headers: Headers): ApiResponse | undefined {
      if (isToken !== undefined) {
        return hasToken(headers, isToken)
          ? undefined
          : problem("no-world", says.worldToken, "world");
      }
      if (isRebound(headers)) return problem("no-world", says.worldHost, "host");
      const { origin } = headers;
      const isAllowed = origin !== undefined && cors?.allows(origin) === true;
      if (!isForeign(headers) || isAllowed) return undefined;
      return problem("no-world", says.worldOrigin, "origin");
    },
  };
}

/** Whether a program sent the token, or a person gave it to a browser as the password, whose user name can be any. */
function hasToken(headers: Headers, isToken: (sent: string) => boolean): boolean {
  // The scheme's name ignores case (RFC 9110 §11.1).
  const [, scheme, sent = ""] = /^(\w+) +(.*)$/.exec(headers.authorization ?? "") ?? [];
  if (scheme?.toLowerCase() === "bearer") return isToken(sent);
  // Browsers add a password by themselves, even if another site's page asks.
  if (scheme?.toLowerCase() !== "basic" || isForeign(headers)) return false;
  const credentials = orUndefined(() => utf8Text(fromBase64(sent))) ?? "";
  return isToken(/^[^:]*:(.*)$/s.exec(credentials)?.[1] ?? "");
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

/** For a browser. */
const asksForPassword = {
  "www-authenticate": 'Basic realm="adsim control", Bearer realm="adsim control"',
};

/** What to do instead. */
const says = {
  reachable:
    "This server can be reached from other machines, and the control API gives out keys. Start it with --control-token TOKEN and send Authorization: Bearer TOKEN (a browser asks for it as the password), or bind it to 127.0.0.1.",
  host: "The Host header must name this machine, such as localhost: any other name may be a web page's rebound DNS name. Behind a tunnel or a proxy, start the server with --control-token TOKEN; for a name of this machine's own, with --host NAME.",
  token:
    "Send the token that the server was started with: Authorization: Bearer TOKEN, or the token as the password of HTTP Basic authentication, with any user name.",
  origin:
    "A web page of another origin can't use the control API. If you followed a link, enter its address in the browser by hand.",
  worldHost:
    "A request creates a world only if its Host header names this machine, such as localhost: another name may be a web page's rebound DNS name. Create the world first with a request to /@NAME/_sim/health at localhost, or start the server with --host NAME.",
  worldOrigin:
    "Web pages of this origin may not call the API, so they can't create a world. Start the server with --cors ORIGIN, or create the world first with a request to /@NAME/_sim/health from a terminal.",
  worldToken:
    "There is no such world, and on this server only a request with the control token creates one: GET /@NAME/_sim/health with Authorization: Bearer TOKEN is enough.",
};
