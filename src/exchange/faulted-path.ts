/**
 * The path of a request through the fault rules: which rule decides on it, what the service does, and what the client gets.
 * Only describes what happens to the connection; an adapter carries it out.
 */

import type { Injected } from "../faults/plan.ts";
import { type ArrivedRequest, type FiredRule, UNAUTHENTICATED_CALLER } from "../faults/rules.ts";
import type { JournalRing } from "../journal/journal.ts";
import type { FaultRecord } from "../journal/record.ts";
import { deliveryTraits } from "../spec/delivery.ts";
import { type ApiResponse, copyOfResponse, noResponse } from "../spec/messages.ts";
import { isEventKind } from "../spec/operations.ts";
import type { Cors } from "./cors.ts";
import type { Identity } from "./identify.ts";
import type { Limits } from "./limits.ts";
import type { Reader } from "./read.ts";
import type { RequestContext } from "./request-context.ts";
import { type Responder, withoutBody } from "./respond.ts";
import type { Scope } from "./scope.ts";
import { countUnseen, tallyOf } from "./tally.ts";
import type { World } from "./world.ts";

/** @returns what the client gets; undefined if no rule decides on the request. */
export type FaultedPath = (context: RequestContext, identity: Identity) => ApiResponse | undefined;

export interface FaultedPathParts {
  readonly world: World;
  readonly journal: JournalRing;
  readonly read: Reader;
  readonly scope: Scope;
  readonly limits: Limits;
  readonly respond: Responder;
  /** Undefined if no page may read anything. */
  readonly cors: Cors | undefined;
  /** Lets the service carry out the request and counts it. */
  readonly serve: (context: RequestContext, identity: Identity) => void;
}

export function createFaultedPath(parts: FaultedPathParts): FaultedPath {
  const { world, journal, read, scope, limits, respond, cors, serve } = parts;
  const { accounts, explain, rules, meter } = world;

  /** The request as rules see it. Its surface is read from the body only if a rule asks. */
  function arrivedOf(
    { nowMs, method, path, query, headers, body }: RequestContext,
    { operation, sender }: Identity,
  ): ArrivedRequest {
    const caller = sender?.ordinal ?? UNAUTHENTICATED_CALLER;
    const sent = { nowMs, method, path, query, headers, body };
    return {
      ...sent,
      operation,
      publisher: sender?.id,
      caller,
      get surface() {
        const input = operation && read(operation, sent);
        if (input?.kind !== "valid") return undefined;
        const { subject } = input;
        if (subject.kind === "publisher") return subject.surface;
        return sender && scope.surfaceOf(subject.id, sender);
      },
    };
  }

  function applyFault(context: RequestContext, identity: Identity, fired: FiredRule): ApiResponse {
    switch (fired.plan.applications) {
      case 0:
        keepFromService(context, identity, fired);
        break;
      case 1:
        serveOnce(context, identity, fired);
        break;
      case 2:
        return serveTwice(context, identity, fired);
    }
    const { response } = context;
    journal.record(context);
    return response;
  }

  function keepFromService(context: RequestContext, identity: Identity, fired: FiredRule): void {
    const { operation, sender } = identity;
    context.operation = operation;
    context.publisher = sender?.id;
    context.account = sender;
    if (isEventKind(operation) && sender !== undefined) {
      const caller = accounts.open(sender.ordinal) ?? sender;
      context.account = scope.quotaAccountOf(operation, context, caller);
    }
    context.producedBy = "rule";
    context.reason = `fault: ${fired.kind}`;
    const tally = tallyOf(context, accounts);
    const { injected } = fired.plan;
    if (tally !== undefined) tally[injected === undefined ? "dropped" : "injected"] += 1;
    const answer = injected === undefined ? noResponse : answerWith(injected, context);
    handOver(context, fired, answer, recordOf(fired, false));
  }

  function serveOnce(context: RequestContext, identity: Identity, fired: FiredRule): void {
    const { injected, alter } = fired.plan;
    serve(context, identity);
    const own = context.response;
    const answer = injected === undefined ? alter(own) : answerWith(injected, context);
    const isReplaced = answer !== own;
    if (isReplaced) context.producedBy = "rule";
    handOver(context, fired, answer, recordOf(fired, true));
    if (isReplaced) recordLoss(context, own);
  }

  function serveTwice(context: RequestContext, identity: Identity, fired: FiredRule): ApiResponse {
    const again = { ...context };
    serve(context, identity);
    serve(again, identity);
    const tally = tallyOf(again, accounts);
    if (tally !== undefined) tally.copies += 1;
    const first = recordOf(fired, true);
    const second: FaultRecord = { ...first, application: 2 };
    const isFirst = fired.plan.answerOf === "first";
    const shown = isFirst ? context : again;
    const hidden = isFirst ? again : context;
    handOver(shown, fired, shown.response, isFirst ? first : second);
    hidden.fault = isFirst ? second : first;
    hidden.fault.received = "nothing";
    hidden.fault.lost = hidden.response;
    hidden.response = noResponse;
    countUnseen(tallyOf(hidden, accounts), hidden);
    const { response } = shown;
    journal.record(context);
    journal.record(again);
    return response;
  }

  /** Applies the plan's handover to an answer. If it doesn't arrive whole, it counts as lost. */
  function handOver(
    context: RequestContext,
    { rule, plan, delayMs }: FiredRule,
    answer: ApiResponse,
    fault: FaultRecord,
  ): void {
    context.fault = fault;
    const isExplained = explain && answer.status !== 0;
    const explained = isExplained
      ? { ...answer, headers: { ...answer.headers, "x-adsim-fault": rule } }
      : answer;
    const { response, mode } = plan.handOver(explained);
    // A copy, because the client's response shares its headers with the answer.
    const own = copyOfResponse(answer);
    const undelivered = (): void => recordUndelivered(context, own);
    const arrivesAtOnce = mode.kind === "whole" && delayMs === 0;
    context.response = arrivesAtOnce
      ? response
      : { ...response, delivery: { ...mode, delayMs, undelivered } };
    fault.received = deliveryTraits[mode.kind].received;
    if (fault.received !== "whole" && fault.served) recordLoss(context, own);
  }

  /** Records that the client doesn't get the answer to a request that the service carried out. */
  function recordLoss(context: RequestContext, answer: ApiResponse): void {
    const { fault } = context;
    if (fault === undefined || fault.lost !== undefined) return;
    fault.lost = answer;
    const tally = tallyOf(context, accounts);
    if (tally !== undefined) tally.lost += 1;
    countUnseen(tally, context);
  }

  /** Records that the client left before its response was handed over. `answer` is the service's or the rule's own. */
  function recordUndelivered(context: RequestContext, answer: ApiResponse): void {
    const { fault } = context;
    if (fault === undefined || fault.received === "nothing") return;
    fault.received = "nothing";
    context.response = noResponse;
    if (fault.served) {
      recordLoss(context, answer);
      return;
    }
    const tally = tallyOf(context, accounts);
    if (tally === undefined) return;
    tally.injected -= 1;
    tally.dropped += 1;
  }

  /** An answer by a rule, with the present quota in its headers. */
  function answerWith(
    injected: Injected,
    { method, headers, operation, account, nowMs }: RequestContext,
  ): ApiResponse {
    const remaining = limits.remaining(operation, account, nowMs);
    const forPage = cors?.answerHeaders(headers);
    const response = respond.injected(injected, { remaining, nowMs, forPage });
    return method === "HEAD" ? withoutBody(response) : response;
  }

  return (context, identity) => {
    const fired = rules.decide(arrivedOf(context, identity));
    if (fired === undefined) return undefined;
    const response = applyFault(context, identity, fired);
    meter?.fired(fired.kind);
    return response;
  };
}

function recordOf({ rule, kind, verdict, delayMs }: FiredRule, served: boolean): FaultRecord {
  const fixed = { rule, kind, verdict, delayMs, served };
  return { ...fixed, application: 1, received: "whole", lost: undefined };
}
