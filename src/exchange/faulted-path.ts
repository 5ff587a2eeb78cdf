/**
 * The path of a request through the fault rules: which rule decides on it, what the service does, and what the client gets.
 * Only describes what happens to the connection; an adapter carries it out.
 */

import type { Injected } from "../faults/plan.ts";
import { type ArrivedRequest, type FiredRule, UNAUTHENTICATED_CALLER } from "../faults/rules.ts";
import type { WorldJournal } from "../journal/journal.ts";
import type { FaultRecord } from "../journal/record.ts";
import { deliveryTraits } from "../spec/delivery.ts";
import { type ApiResponse, copyOfResponse, noResponse } from "../spec/messages.ts";
import { isEventKind } from "../spec/operations.ts";
import type { Cors } from "./cors.ts";
import type { Identity } from "./identify.ts";
import type { Limits } from "./limits.ts";
import type { Reader } from "./read.ts";
import { countUnseen, type RequestContext, tallyOf } from "./request-context.ts";
import { type Responder, withoutBody } from "./respond.ts";
import type { Scope } from "./scope.ts";
import type { World } from "./world.ts";

export interface FaultedPathParts {
  readonly world: World;
  readonly journal: WorldJournal;
  readonly read: Reader;
  readonly scope: Scope;
  readonly limits: Limits;
  readonly respond: Responder;
  /** Undefined if no page may read anything. */
  readonly cors: Cors | undefined;
  /** Lets the service carry out the request and counts it. */
  readonly serve: (context: RequestContext, identity: Identity) => void;
}

export function createFaultedPath(parts: FaultedPathParts) {
  const { world, journal, read, scope, limits, respond, cors, serve } = parts;
  const { accounts, explain, rules } = world;

  /** The request as rules see it. Its surface is read from the body only if a rule asks. */
  function arrivedOf(context: RequestContext, { operation, sender }: Identity): ArrivedRequest {
    const { nowMs, method, path, query, headers, body } = context;
    const ordinal = sender?.ordinal ?? UNAUTHENTICATED_CALLER;
    return {
      ...{ nowMs, method, path, query, headers, body, operation, caller: ordinal },
      publisher: sender?.id,
      get surface() {
        const input = operation && read(operation, context);
        if (input?.kind !== "valid") return undefined;
        const { subject } = input;
        if (subject.kind === "publisher") return subject.surface;
        return sender && scope.surfaceOf(subject.id, sender);
      },
    };
  }

  /** Notes a request that the service doesn't see. */
  function withhold(
    context: RequestContext,
    { operation, sender }: Identity,
    fired: FiredRule,
  ): void {
    if (isEventKind(operation) && sender !== undefined) {
      const caller = accounts.open(sender.ordinal) ?? sender;
      context.account = scope.quotaAccountOf(operation, context, caller);
    }
    context.producedBy = "rule";
    context.reason = `fault: ${fired.kind}`;
    const tally = tallyOf(context, accounts);
    if (tally !== undefined) tally[fired.plan.injected === undefined ? "dropped" : "injected"] += 1;
  }

  /** Hands over an answer as the rule wants it. If it doesn't arrive whole, it counts as lost. */
  function handOver(context: RequestContext, fired: FiredRule, answer: ApiResponse): void {
    const { rule, plan, delayMs } = fired;
    const isExplained = explain && answer.status !== 0;
    const headers = isExplained ? { ...answer.headers, "x-adsim-fault": rule } : answer.headers;
    const { response, mode } = plan.handOver(isExplained ? { ...answer, headers } : answer);
    // A copy, because the client's response shares its headers with the answer.
    const kept = copyOfResponse(answer);
    const undelivered = (): void => recordUndelivered(context, kept);
    const arrivesAtOnce = mode.kind === "whole" && delayMs === 0;
    context.response = arrivesAtOnce
      ? response
      : { ...response, delivery: { ...mode, delayMs, undelivered } };
    const { received } = deliveryTraits[mode.kind];
    context.fault = { ...recordOf(fired), received };
    if (received !== "whole" && context.fault.served) recordLoss(context, kept);
  }

  /** Records that the client doesn't get the answer to a request that the service carried out. */
  function recordLoss(context: RequestContext, answer: ApiResponse): void {
    const { fault } = context;
    if (fault === undefined || fault.lost !== undefined) return;
    fault.lost = answer;
    const tally = tallyOf(context, accounts);
    if (tally !== undefined) tally.lost += 1;
    countUnseen(context, accounts);
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

  /** The client gets the answer to the other one of two. */
  function hide(context: RequestContext, fired: FiredRule): void {
    context.fault = { ...recordOf(fired), received: "nothing", lost: context.response };
    context.response = noResponse;
    countUnseen(context, accounts);
  }

  function recordCopy(second: RequestContext): void {
    const tally = tallyOf(second, accounts);
    if (tally !== undefined) tally.copies += 1;
    if (second.fault !== undefined) second.fault.application = 2;
    journal.record(second);
  }

  /** An answer by a rule, with the present quota in its headers. */
  function answerWith(injected: Injected, context: RequestContext): ApiResponse {
    const { method, headers, operation, account, nowMs } = context;
    const remaining = limits.remaining(operation, account, nowMs);
    const forPage = cors?.answerHeaders(headers);
    const response = respond.injected(injected, { remaining, nowMs, forPage });
    return method === "HEAD" ? withoutBody(response) : response;
  }

  /** Lets the rules decide, and records the request. @returns what the client gets; undefined if no rule decided on it. */
  return (context: RequestContext, identity: Identity): ApiResponse | undefined => {
    const fired = rules.decide(arrivedOf(context, identity));
    if (fired === undefined) return undefined;
    const { applications, answerOf, injected, alter } = fired.plan;
    const second = applications === 2 ? { ...context } : undefined;
    if (applications === 0) withhold(context, identity, fired);
    else serve(context, identity);
    if (second !== undefined) serve(second, identity);

    const shown = (answerOf === "second" ? second : undefined) ?? context;
    const own = shown.response;
    const answer = injected === undefined ? alter(own) : answerWith(injected, shown);
    const isReplaced = answer !== own && applications > 0;
    if (isReplaced) shown.producedBy = "rule";
    handOver(shown, fired, answer);
    if (isReplaced) recordLoss(shown, own);

    // `journal.record` replaces it by a copy.
    const { response } = shown;
    if (second !== undefined) hide(shown === context ? second : context, fired);
    journal.record(context);
    if (second !== undefined) recordCopy(second);
    return response;
  };
}

function recordOf({ rule, kind, verdict, delayMs, plan }: FiredRule): FaultRecord {
  const fixed = { rule, kind, verdict, delayMs, served: plan.applications > 0 };
  return { ...fixed, application: 1, received: "whole", lost: undefined };
}
