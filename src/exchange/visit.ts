/** A request on its way: what was sent, and what becomes of it, filled in from stage to stage. */

import type { Account } from "../accounts/account.ts";
import { type ApiRequest, noResponse } from "../contract/messages.ts";
import type { JournalRecord, WorldAbout } from "../journal/record.ts";
import { headerOf } from "./headers.ts";
import { documented, type Effect } from "./outcome.ts";
import { queryText } from "./parameters.ts";

export interface Visit extends JournalRecord {
  /** The account that it concerns: whose key was sent, or whom the request is about where a key serves others too. */
  account: Account | undefined;
  /** What the service made of it; undefined for what it never saw. */
  effect: Effect | "refused" | undefined;
  /** The credit that the service's answer shows, in micro-INR. */
  micros: number;
}

/** The request with its query apart from its path, and nothing decided yet. */
export function visitOf(request: ApiRequest, nowMs: number, world: WorldAbout): Visit {
  const { path, headers = noHeaders, body = "" } = request;
  const isObject = typeof body === "object" && !(body instanceof Uint8Array);
  const mark = path.indexOf("?");
  const inPath = mark === -1 ? "" : path.slice(mark + 1);
  const given = request.query === undefined ? "" : queryText(request.query);
  return {
    nowMs,
    method: request.method,
    path: mark === -1 ? path : path.slice(0, mark),
    query: inPath === "" || given === "" ? inPath + given : `${inPath}&${given}`,
    headers: isObject ? asJson(headers) : headers,
    body: isObject ? jsonText(body) : body,
    operation: undefined,
    publisher: undefined,
    response: noResponse,
    producedBy: "service",
    fault: undefined,
    reason: "",
    shapedBy: documented,
    world,
    account: undefined,
    effect: undefined,
    micros: 0,
  };
}

const noHeaders: Readonly<Record<string, string>> = Object.freeze({});

/** An object is sent as JSON, unless the sender says otherwise. */
export function asJson(
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (headerOf(headers, "content-type") !== undefined) return headers;
  return { ...headers, "content-type": "application/json" };
}

/** An object body as it is sent. One that JSON can't write becomes a text that isn't JSON: it is refused as such. */
export function jsonText(body: object): string {
  try {
    return JSON.stringify(body) ?? notJson;
  } catch {
    return notJson;
  }
}

const notJson = "(an object that JSON can't write)";
