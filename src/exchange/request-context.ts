/** A request on its way: what was sent, and what becomes of it, filled in from stage to stage. */

import type { Producer } from "../journal/entry.ts";
import type { FaultRecord, JournalRecord } from "../journal/record.ts";
import { type ApiRequest, type ApiResponse, noResponse } from "../spec/messages.ts";
import type { OperationId } from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import type { WorldDescription } from "../world/publishers/world-settings.ts";
import { documented, type Effect, type ShapedBy } from "./operations/outcome.ts";
import { type PlainRequest, plainRequest } from "./plain-request.ts";

/**
 * A class: an engine that sees the journal keep each of the first thousands takes literals for long-lived, and is then late
 * and slow to collect them and what they hold (see decision 026).
 */
export class RequestContext implements JournalRecord {
  /** As it came, until somebody asks for a part of it: then as it was read. */
  request: ApiRequest;
  readonly nowMs: number;
  readonly world: WorldDescription;
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
  #read: PlainRequest | undefined = undefined;

  /** Nothing is decided yet. */
  constructor(request: ApiRequest, nowMs: number, world: WorldDescription) {
    this.request = request;
    this.nowMs = nowMs;
    this.world = world;
  }

  get method(): string {
    return this.#plain().method;
  }
  /** Without the query. */
  get path(): string {
    return this.#plain().path;
  }
  get query(): string {
    return this.#plain().query;
  }
  get headers(): Readonly<Record<string, string>> {
    return this.#plain().headers;
  }
  get body(): string | Uint8Array {
    return this.#plain().body;
  }
  /** What can't be read of the request, for its sender; undefined for nearly every one. */
  get flaw(): string | undefined {
    return this.#plain().flaw;
  }

  /** The same request once more, and nothing decided of it. */
  again(): RequestContext {
    const other = new RequestContext(this.request, this.nowMs, this.world);
    other.#read = this.#plain();
    return other;
  }

  #plain(): PlainRequest {
    if (this.#read === undefined) {
      this.#read = plainRequest(this.request);
      // The journal keeps visits, and counts the bytes of what was read: nothing else may stay with them.
      this.request = this.#read;
    }
    return this.#read;
  }
}
