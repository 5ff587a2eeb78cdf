/** What was done to a world and what the client saw of it, for the invariants to look at afterwards. */

import { plainRequest } from "../exchange/plain-request.ts";
import type { FaultRule } from "../faults/rule.ts";
import { bodyReplaced } from "../faults/verdict.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import type { RequestParts } from "../spec/messages.ts";
import { methodsOf, type Operation, type OperationId, operations } from "../spec/operations.ts";
import type { SurfaceChange } from "../world/accounts/publisher-directory.ts";
import type { ClientExchange, Member } from "./client-exchange.ts";

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
export type PlayedWorld = Pick<SimulatorCore, "audit" | "fork">;

/** The operation that answers this method and path, if any. */
function operationOf(method: string, path: string): OperationId | undefined {
  const all = Object.values<Operation>(operations);
  return all.find((one) => one.path === path && methodsOf(one).includes(method))?.id;
}
