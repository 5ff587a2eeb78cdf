/** A request on its way: what was sent, and what becomes of it, filled in from stage to stage. */

import type { Account } from "../accounts/account.ts";
import { type ApiRequest, type ApiResponse, noResponse } from "../contract/messages.ts";
import type { OperationId } from "../contract/operations.ts";
import type { FaultRecord, JournalRecord, Producer, WorldAbout } from "../journal/record.ts";
import { headerOf } from "./headers.ts";
import { documented, type Effect, type ShapedBy } from "./outcome.ts";
import { queryText } from "./parameters.ts";

/**
 * A class, though it does nothing: an engine that sees the journal keep each of the first thousands takes those of a
 * literal for long-lived, and is then late and slow to collect them and what they hold (see decision 026).
 */
export class Visit implements JournalRecord {
  readonly nowMs: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly world: WorldAbout;
  operation: OperationId | undefined = undefined;
  publisher: string | undefined = undefined;
  response: ApiResponse = noResponse;
  producedBy: Producer = "service";
  fault: FaultRecord | undefined = undefined;
  reason = "";
  shapedBy: ShapedBy = documented;
  /** The account that it concerns: whose key was sent, or whom the request is about where a key serves others too. */
  account: Account | undefined = undefined;
  /** What the service made of it; undefined for what it never saw. */
  effect: Effect | "refused" | undefined = undefined;
  /** The credit that the service's answer shows, in micro-INR. */
  micros = 0;

  /** The request with its query apart from its path, and nothing decided yet. */
  constructor(request: ApiRequest, nowMs: number, world: WorldAbout) {
    const { method, path, headers = noHeaders, body = "" } = request;
    const isObject = !(typeof body === "string" || body instanceof Uint8Array);
    const mark = path.indexOf("?");
    const inPath = mark === -1 ? "" : path.slice(mark + 1);
    const given = request.query === undefined ? "" : queryText(request.query);
    this.nowMs = nowMs;
    this.method = method;
    this.path = mark === -1 ? path : path.slice(0, mark);
    this.query = inPath === "" || given === "" ? inPath + given : `${inPath}&${given}`;
    this.headers = isObject ? asJson(headers) : headers;
    this.body = isObject ? jsonText(body) : body;
    this.world = world;
  }
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
