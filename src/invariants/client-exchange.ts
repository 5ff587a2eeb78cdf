/**
 * What a client sends and what it sees of the answer, and the trace of a run for the invariants to look at afterwards. For a
 * response of an in-process simulator, it works out the outcome of the delivery without performing it, and notifies the service if
 * the client would have given up.
 */

import { utf8Length } from "../base/text.ts";
import { plainRequest } from "../exchange/plain-request.ts";
import type { FaultRule } from "../faults/rule.ts";
import { bodyReplaced } from "../faults/verdict.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import { type Delivery, deliveryTraits } from "../spec/delivery.ts";
import type { ApiRequest, ApiResponse, RequestParts } from "../spec/messages.ts";
import { methodsOf, type Operation, type OperationId, operations } from "../spec/operations.ts";
import type { Credentials } from "../world/accounts/account.ts";
import type { SurfaceChange } from "../world/accounts/publisher-directory.ts";

/**
 * What the client sees: a complete response, a response whose body broke off, a connection that ended without a valid
 * response, or nothing in time.
 */
export type RequestOutcome = "answered" | "cut" | "lost" | "timed-out";

export interface Outgoing {
  /** Undefined for a raw request. */
  readonly operation: OperationId | undefined;
  readonly request: ApiRequest;
  readonly timeoutMs: number;
}

/** A request and what the client saw of it. */
export interface ClientExchange {
  readonly operation: OperationId | undefined;
  /** When it was sent, on the target's clock, in milliseconds since 1970. */
  readonly atMs: number;
  readonly request: ApiRequest;
  readonly outcome: RequestOutcome;
  /** 0 without a response. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The received part of the body. Bytes that aren't UTF-8 are U+FFFD. */
  readonly text: string;
  /** In virtual time the delay of the answer, in real time the time since the planned sending. */
  readonly latencyMs: number;
  /** Why there is no complete answer, if the target says so. */
  readonly why?: string | undefined;
}

/** A publisher that takes part, with its key. `joined`: undefined for a foreign service. */
export interface Member extends Credentials {
  readonly joined: string | undefined;
}

/** `atMs`: when it was sent, in milliseconds since 1970. */
export function exchangeOf(
  { operation, request, timeoutMs }: Outgoing,
  { delivery, status, headers, body: text }: ApiResponse,
  atMs: number,
): ClientExchange {
  const sent = { operation, atMs, request };
  const answer = { status, headers, text };
  if (delivery === undefined)
    return { ...sent, outcome: status === 0 ? "lost" : "answered", ...answer, latencyMs: 0 };
  const latencyMs = responseMsOf(delivery, text);
  if (latencyMs > timeoutMs) {
    delivery.undelivered();
    return { ...sent, outcome: "timed-out", ...nothing, latencyMs: timeoutMs };
  }
  const outcome: RequestOutcome = deliveryTraits[delivery.kind].seen;
  return { ...sent, outcome, ...(outcome === "lost" ? nothing : answer), latencyMs };
}

const nothing = Object.freeze({ status: 0, headers: Object.freeze({}), text: "" });

/** How long the client waits for the end of the response, in milliseconds. */
function responseMsOf(delivery: Delivery, body: string): number {
  switch (delivery.kind) {
    case "silence":
      return Number.POSITIVE_INFINITY;
    case "overtaken":
      // A client that waits for each answer before its next request is never overtaken.
      return delivery.delayMs + delivery.atMostMs;
    case "drip":
      return delivery.delayMs + Math.ceil((utf8Length(body) * 1000) / delivery.bytesPerSecond);
    default:
      return delivery.delayMs;
  }
}

export interface TracedExchange extends ClientExchange {
  readonly request: RequestParts;
  /** How many exchanges of the run came before it. */
  readonly at: number;
}

/** In INR per thousand impressions. */
export type CpmRange = readonly [lower: number, upper: number];

const MAX_KEPT = 30_000;
/** Most characters of kept requests and answers. */
const MAX_TEXT = 16 * 1024 * 1024;

/** Call its methods in the order in which things happen. Positions count exchanges from 0. */
export class Trace {
  /** All exchanges. */
  total = 0;
  /** The first of them, without a gap: a run may have millions. */
  readonly kept: TracedExchange[] = [];
  /** By surface: the ranges that it had. */
  readonly prices: Map<string, { publisher: string; ranges: CpmRange[] }> = new Map();
  /** The first exchange after the assumptions last changed; undefined if they never did. */
  assumedAt: number | undefined;
  /** Whether there were fault rules. */
  isDisturbed = false;
  /** The first exchange whose answer a rule may have written or garbled. Infinity without such rules. */
  scriptedFrom = Number.POSITIVE_INFINITY;
  /** The statuses of answers that rules write. */
  readonly writtenStatuses: Set<number> = new Set();
  #length = 0;

  observe(exchange: ClientExchange): void {
    const at = this.total;
    this.total += 1;
    if (this.kept.length < at || at >= MAX_KEPT) return;
    const request = plainRequest(exchange.request);
    const { path, query, body } = request;
    this.#length += path.length + query.length + body.length + exchange.text.length;
    if (this.#length > MAX_TEXT) return;
    const operation = operationOf(request.method, path);
    this.kept.push({ ...exchange, operation, request, at });
  }

  /** For each publisher at the start, on sign-up, and after the assumptions changed. */
  recordMember({ id: publisher, surfaces }: Member): void {
    for (const { id: surface, cpmRange } of surfaces)
      if (!this.prices.has(surface)) this.prices.set(surface, { publisher, ranges: [cpmRange] });
  }

  recordSurface(surface: string, { cpmRange }: SurfaceChange): void {
    if (cpmRange !== undefined) this.prices.get(surface)?.ranges.push(cpmRange);
  }

  /** The assumptions change from here on. */
  recordAssume(): void {
    this.assumedAt = this.total;
  }

  /** A fault rule is in force from here on. */
  recordRule({ verdict }: FaultRule): void {
    this.isDisturbed = true;
    if (verdict.kind === "respond") this.writtenStatuses.add(verdict.status);
    if (bodyReplaced.includes(verdict.kind))
      this.scriptedFrom = Math.min(this.scriptedFrom, this.total);
  }

  /** Complete answers since the assumptions last changed that no fault rule can have written. */
  ownAnswers(to?: OperationId): readonly TracedExchange[] {
    const { assumedAt = 0, scriptedFrom } = this;
    return this.kept
      .filter(({ at, outcome }) => outcome === "answered" && at >= assumedAt && at < scriptedFrom)
      .filter(({ operation }) => to === undefined || operation === to);
  }
}

/** A world, and what was done to it. */
export interface Played {
  readonly trace: Trace;
  /** Why the trace doesn't explain the whole state; undefined if it does. */
  readonly gap?: string | undefined;
  /** Whether the times in the trace are exactly those at which the service answered. */
  readonly isExactTime: boolean;
  /** Publishers to try the invariants on, as they are now. */
  readonly members: readonly Member[];
  /** The choices in force now. Undefined for another service. */
  readonly assumptions: Assumptions | undefined;
  /** The world as it is now, or why it can't be copied. */
  readonly world: PlayedWorld | string;
}

/** Invariants copy and audit it, and never change it. */
type PlayedWorld = Pick<SimulatorCore, "audit" | "fork">;

/** The operation that answers this method and path, if any. */
function operationOf(method: string, path: string): OperationId | undefined {
  const all = Object.values<Operation>(operations);
  return all.find((one) => one.path === path && methodsOf(one).includes(method))?.id;
}
