/** A request on its way: what was sent, and what becomes of it, filled in from stage to stage. */

import type { FaultRecord, JournalRecord, Producer, WorldAbout } from "../journal/record.ts";
import { type ApiRequest, type ApiResponse, noResponse } from "../spec/messages.ts";
import type { OperationId } from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import { documented, type Effect, type ShapedBy } from "./outcome.ts";
import { plainRequest, splitTarget } from "./plain-request.ts";

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

  /** What can't be read of the request, for its sender; undefined for nearly every one. */
  readonly flaw: string | undefined;

  /** The request with its query apart from its path, and nothing decided yet. */
  constructor(request: ApiRequest, nowMs: number, world: WorldAbout) {
    const sent = plainRequest(request);
    const { method, headers, body, flaw } = sent;
    const { path, query } = splitTarget(sent);
    this.nowMs = nowMs;
    this.method = method;
    this.path = path;
    this.query = query;
    this.headers = headers;
    this.body = body;
    this.world = world;
    this.flaw = flaw;
  }
}
