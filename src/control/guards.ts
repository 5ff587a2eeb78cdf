/**
 * Decides who may use the control API, and who may create a world. The control API hands out keys and deletes state, so no web
 * page of another origin may reach it, nor one whose host name was rebound to this machine (DNS rebinding). Such a page may
 * call the API of an existing world, like any client without a key. It may not create worlds.
 */

import { isLoopbackHost } from "../base/loopback.ts";
import { fromBase64, utf8Text } from "../base/text.ts";
import type { Cors } from "../exchange/cors.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { problemResponse } from "./problem.ts";

/** Returns the refusal of a request with these headers, or undefined if it is allowed. */
type Guard = (headers: Headers) => ApiResponse | undefined;
type Headers = Readonly<Record<string, string>>;

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

export function createGuards(options: GuardOptions): Guards {
  const { isToken, host, cors } = options;
  const local = isLoopback(options.address);
  // Other machines may use names for this server that it doesn't know.
  const isRebound: (header: string | undefined) => boolean = local
    ? (header) => !namesThisMachine(header, host)
    : () => false;
  const hasToken = ({ authorization = "" }: Headers): boolean =>
    isToken === undefined || isToken(tokenIn(authorization));

  const newWorld: Guard = (headers) => {
    if (isRebound(headers.host)) return foreignHostOfWorld;
    const { origin } = headers;
    const isAllowed = origin !== undefined && cors?.allows(origin) === true;
    if (isForeign(headers) && !isAllowed) return foreignPageOfWorld;
    return hasToken(headers) ? undefined : worldNeedsToken;
  };
  const control: Guard = (headers) => {
    if (!local && isToken === undefined) return needsToken;
    if (isRebound(headers.host)) return foreignHost;
    if (isForeign(headers)) return foreignOrigin;
    return hasToken(headers) ? undefined : wrongToken;
  };
  return { control, newWorld };
}

/** The token of a program, or the password that a person gave to a browser. The user's name can be any. */
function tokenIn(authorization: string): string {
  // The scheme's name ignores case (RFC 9110 §11.1).
  const [, scheme = "", sent = ""] = /^(bearer|basic) +(.*)$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== "basic") return sent;
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(sent);
  const credentials = isBase64 ? utf8Text(fromBase64(sent)) : undefined;
  return /^[^:]*:(.*)$/s.exec(credentials ?? "")?.[1] ?? "";
}

/** Whether a browser says that a web page of another origin is behind a request. */
function isForeign(headers: Readonly<Record<string, string>>): boolean {
  const { origin, host } = headers;
  return (
    (origin !== undefined && origin !== `http://${host}`) ||
    !ownSites.has(headers["sec-fetch-site"])
  );
}

/** Values of Sec-Fetch-Site for requests that no other site caused. Only browsers send it. Sites don't include the port. */
const ownSites: ReadonlySet<string | undefined> = new Set([undefined, "same-origin", "none"]);

/** Whether only this machine can reach an address. */
function isLoopback(address: string): boolean {
  return /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address) || address === "::1";
}

function namesThisMachine(header: string | undefined, host: string): boolean {
  const name = (header ?? "").replace(/:\d*$/, "").toLowerCase();
  const chosen = host.toLowerCase();
  return isLoopbackHost(name) || [chosen, `${chosen}.`, `[${chosen}]`].includes(name);
}

const needsToken = problemResponse({
  kind: "forbidden",
  detail:
    "This server can be reached from other machines, and the control API gives out keys. Start it with --control-token TOKEN (controlToken) and send Authorization: Bearer TOKEN (a browser asks for it as the password), or bind it to 127.0.0.1.",
});
const foreignHost = problemResponse({
  kind: "forbidden",
  detail:
    "The Host header must name this machine, such as localhost or 127.0.0.1: any other name may be a web page's rebound DNS name.",
  field: "host",
});
const foreignOrigin = problemResponse({
  kind: "forbidden",
  detail:
    "A web page of another origin can't use the control API. If you followed a link, enter its address in the browser by hand.",
  field: "origin",
});
const foreignHostOfWorld = problemResponse({
  kind: "no-world",
  detail:
    "A request creates a world only if its Host header names this machine, such as localhost or 127.0.0.1: another name may be a web page's rebound DNS name. Create the world first with a request to /@NAME/_sim/health at localhost, or start the server with --host NAME to use a name of your own.",
  field: "host",
});
const foreignPageOfWorld = problemResponse({
  kind: "no-world",
  detail:
    "Web pages of this origin may not call the API, so they can't create a world. Start the server with --cors ORIGIN, where ORIGIN is the page's, such as https://app.example. If the page needn't read answers, create the world first with a request to /@NAME/_sim/health from a terminal.",
  field: "origin",
});
/** With a control token, only a request that carries it creates a world. */
const worldNeedsToken = problemResponse({
  kind: "no-world",
  detail:
    "There is no such world, and on this server only a request with the control token creates one. Create it first: GET /@NAME/_sim/health with Authorization: Bearer TOKEN is enough.",
  field: "world",
});
const wrongToken = problemResponse({
  kind: "unauthorized",
  detail:
    "Send the token that the server was started with: Authorization: Bearer TOKEN, or the token as the password of HTTP Basic authentication, with any user name.",
  field: "authorization",
  headers: { "www-authenticate": 'Bearer realm="adsim control"' },
});
