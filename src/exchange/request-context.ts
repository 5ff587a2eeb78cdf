/** A request and its outcome, which the stages of the request path fill in. */

import type { Effect, Producer } from "../journal/entry.ts";
import type { FaultRecord, JournalRecord } from "../journal/record.ts";
import { type ApiRequest, type ApiResponse, noResponse } from "../spec/messages.ts";
import type { OperationId } from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import type { WorldDescription } from "../world/publishers/world-settings.ts";
import { documented, type ShapedBy } from "./operations/outcome.ts";
import { type PlainRequest, plainRequest } from "./plain-request.ts";

/**
 * A class rather than an object literal: the journal keeps the first thousands, so V8 would allocate literals as long-lived,
 * and collect them late and slowly.
 */
export class RequestContext implements JournalRecord {
  /** The raw request; after the first access to a part of it, the converted one. */
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
  /** The account that the request concerns: the key's own, unless keys work for all publishers. */
  account: Account | undefined = undefined;
  effect: Effect | undefined = undefined;
  micros = 0;
  #read: PlainRequest | undefined = undefined;

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
  /** Why the request can't be read, if it can't. */
  get flaw(): string | undefined {
    return this.#plain().flaw;
  }

  /** A new context for the same request. */
  again(): RequestContext {
    const other = new RequestContext(this.request, this.nowMs, this.world);
    other.#read = this.#plain();
    return other;
  }

  #plain(): PlainRequest {
    if (this.#read === undefined) {
      this.#read = plainRequest(this.request);
      // The journal keeps the context and counts the bytes of the converted request, so the raw one must be released.
      this.request = this.#read;
    }
    return this.#read;
  }
}
