/**
 * Who may use the control API. It hands out keys and deletes state, so no web page may reach it: not one of another
 * origin, and not one whose name was made to resolve to this machine (DNS rebinding).
 */

import type { ApiResponse } from "../contract/messages.ts";
import { problemResponse } from "../control/problem.ts";
import { crypto } from "./node-builtins.ts";

/** Says why a request may not use the control API; undefined where it may. */
export type ControlGuard = (headers: Readonly<Record<string, string>>) => ApiResponse | undefined;

export interface GuardOptions {
  /** The address that the server is bound to. */
  readonly address: string;
  /** The host that the user chose to bind to. */
  readonly host: string;
  readonly controlToken: string | undefined;
}

export function createControlGuard(options: GuardOptions): ControlGuard {
  const { controlToken, host } = options;
  const local = isLoopback(options.address);
  const expected = controlToken === undefined ? undefined : digest(controlToken);
  return (headers) => {
    if (!local && expected === undefined) return needsToken;
    if (local && !namesThisMachine(headers.host, host)) return foreignHost;
    if (isForeign(headers)) return foreignOrigin;
    if (expected === undefined) return undefined;
    // The name of the scheme is the same in upper and lower case (RFC 9110, §11.1).
    const sent = digest(/^bearer +(.*)$/i.exec(headers.authorization ?? "")?.[1] ?? "");
    return crypto().timingSafeEqual(sent, expected) ? undefined : wrongToken;
  };
}

/** Refuses to make a world for a web page of another origin: it could make any number of them. */
export function worldGuard(headers: Readonly<Record<string, string>>): ApiResponse | undefined {
  return isForeign(headers) ? foreignWorld : undefined;
}

/** Whether a browser says that a web page of another origin is behind a request. */
function isForeign(headers: Readonly<Record<string, string>>): boolean {
  const { origin, host } = headers;
  return (
    (origin !== undefined && origin !== `http://${host}`) ||
    !ownSites.has(headers["sec-fetch-site"])
  );
}

/** What a browser says of a request that no other origin made; clients that are no browser say nothing. A port is no part of a site. */
const ownSites: ReadonlySet<string | undefined> = new Set([undefined, "same-origin", "none"]);

/** Whether only this machine can reach an address. */
function isLoopback(address: string): boolean {
  return /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address) || address === "::1";
}

function namesThisMachine(header: string | undefined, host: string): boolean {
  const name = (header ?? "").replace(/:\d*$/, "").toLowerCase();
  return (
    name === "localhost" ||
    /^[a-z0-9.-]+\.localhost$/.test(name) ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name) ||
    name === "[::1]" ||
    name === host.toLowerCase() ||
    name === `[${host.toLowerCase()}]`
  );
}

function digest(text: string): Buffer {
  // Digests have one length, so that comparing tells nothing about the token's.
  return crypto().createHash("sha256").update(text).digest();
}

const needsToken = problemResponse({
  kind: "forbidden",
  detail:
    "This server can be reached from other machines, and the control API gives out keys. Start it with --control-token TOKEN (controlToken) and send Authorization: Bearer TOKEN, or bind it to 127.0.0.1.",
});
const foreignHost = problemResponse({
  kind: "forbidden",
  detail:
    "The Host header must name this machine, as localhost or 127.0.0.1: anything else may be a web page behind a rebound DNS name.",
  field: "host",
});
const foreignOrigin = problemResponse({
  kind: "forbidden",
  detail: "The control API can't be used by a web page of another origin.",
  field: "origin",
});
const foreignWorld = problemResponse({
  kind: "forbidden",
  detail:
    "There is no such world, and a web page of another origin can't make one. Make it before, from outside the page: a request to /@NAME/_sim/health is enough.",
  field: "origin",
});
/** Where there is a control token, only who has it makes worlds. */
export const worldNeedsToken: ApiResponse = problemResponse({
  kind: "no-world",
  detail:
    "There is no such world, and on this server only who has the control token makes one. Make it first: GET /@NAME/_sim/health with Authorization: Bearer TOKEN is enough.",
  field: "world",
});
const wrongToken = problemResponse({
  kind: "unauthorized",
  detail: "Send the token that the server was started with: Authorization: Bearer TOKEN.",
  field: "authorization",
  headers: { "www-authenticate": 'Bearer realm="adsim control"' },
});
