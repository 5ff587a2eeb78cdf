/**
 * The path of a request through the fault rules: which rule decides on it, what the service does, and what the client gets.
 * Only describes what happens to the connection; an adapter carries it out.
 */

import type { Injected } from "../faults/plan.ts";
import type { FiredRule } from "../faults/rules.ts";
import type { JournalRing } from "../journal/journal.ts";
import type { FaultRecord } from "../journal/record.ts";
import { deliveryTraits } from "../spec/delivery.ts";
import { type ApiResponse, copyOfResponse, noResponse } from "../spec/messages.ts";
import type { Cors } from "./cors.ts";
import type { Inspection } from "./inspect.ts";
import { documented } from "./operations/outcome.ts";
import type { Quota } from "./quota.ts";
import type { RequestContext } from "./request-context.ts";
import { type Responder, withoutBody } from "./respond.ts";
import { countUnseen, tallyOf } from "./tally-requests.ts";
import type { World } from "./world.ts";

/** @returns what the client gets; undefined if no rule decides on the request. */
export type FaultedPath = (context: RequestContext) => ApiResponse | undefined;

interface FaultResult {
  /** For the journal: two if the service acted twice. */
  readonly contexts: readonly RequestContext[];
  /** What the client gets. */
  readonly response: ApiResponse;
}

export interface FaultedPathParts {
  readonly world: World;
  readonly journal: JournalRing;
  readonly inspect: (context: RequestContext) => Inspection;
  readonly quota: Quota;
  readonly respond: Responder;
  /** Undefined if no page may read anything. */
  readonly cors: Cors | undefined;
  /** Lets the service carry out the request and counts it. */
  readonly serve: (context: RequestContext) => void;
}

export function createFaultedPath(parts: FaultedPathParts): FaultedPath {
  const { world, journal, inspect, quota, respond, cors, serve } = parts;
  const { accounts, explain, rules, meter } = world;

  function applyFault(
    context: RequestContext,
    inspection: Inspection,
    fired: FiredRule,
  ): FaultResult {
    switch (fired.plan.applications) {
      case 0:
        return singleResult(keepFromService(context, inspection, fired));
      case 1:
        return singleResult(served(context, fired));
      case 2:
        return serveTwice(context, fired);
    }
  }

  function keepFromService(
    context: RequestContext,
    inspection: Inspection,
    fired: FiredRule,
  ): RequestContext {
    const { plan, kind } = fired;
    context.operation = inspection.arrived.operation;
    context.publisher = inspection.arrived.publisher;
    context.account = inspection.countedAccount();
    context.producedBy = "rule";
    context.reason = `fault: ${kind}`;
    context.shapedBy = documented;
    const tally = tallyOf(context, accounts);
    if (plan.injected === undefined) {
      if (tally !== undefined) tally.dropped += 1;
      handOver(context, fired, noResponse, recordOf(fired, false));
      return context;
    }
    if (tally !== undefined) tally.injected += 1;
    handOver(context, fired, answerWith(plan.injected, context), recordOf(fired, false));
    return context;
  }

  function served(context: RequestContext, fired: FiredRule): RequestContext {
    const { injected, alter } = fired.plan;
    serve(context);
    const own = context.response;
    const answer = injected === undefined ? alter(own) : answerWith(injected, context);
    const isReplaced = answer !== own;
    if (isReplaced) context.producedBy = "rule";
    handOver(context, fired, answer, recordOf(fired, true));
    if (isReplaced) recordLoss(context, own);
    return context;
  }

  function serveTwice(context: RequestContext, fired: FiredRule): FaultResult {
    const copy = context.again();
    serve(context);
    serve(copy);
    const tally = tallyOf(copy, accounts);
    if (tally !== undefined) tally.copies += 1;
    const first = recordOf(fired, true);
    const second: FaultRecord = { ...first, application: 2 };
    if (fired.plan.answerOf === "first") {
      handOver(context, fired, context.response, first);
      hide(copy, second);
      return { contexts: [context, copy], response: context.response };
    }
    hide(context, first);
    handOver(copy, fired, copy.response, second);
    return { contexts: [context, copy], response: copy.response };
  }

  /** Hides an answer from the client, which gets another one instead. */
  function hide(context: RequestContext, fault: FaultRecord): void {
    context.fault = { ...fault, received: "nothing", lost: context.response };
    context.response = noResponse;
    countUnseen(tallyOf(context, accounts), context);
  }

  /** Applies the plan's handover to an answer. If it doesn't arrive whole, it counts as lost. */
  function handOver(
    context: RequestContext,
    fired: FiredRule,
    answer: ApiResponse,
    fault: FaultRecord,
  ): void {
    context.fault = fault;
    const explained = explain ? explainedBy(fired.rule, answer) : answer;
    const { response, mode } = fired.plan.handOver(explained);
    const { delayMs } = fired;
    // A copy, because the client's response shares its headers with the answer.
    const own = copyOfResponse(answer);
    context.response =
      mode.kind === "whole" && delayMs === 0
        ? response
        : {
            ...response,
            delivery: { ...mode, delayMs, undelivered: () => recordUndelivered(context, own) },
          };
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
    const quotaStatus = quota.quotaStatus(operation, account, nowMs);
    const response = respond.injected(injected, quotaStatus, cors?.answerHeaders(headers));
    return method === "HEAD" ? withoutBody(response) : response;
  }

  return (context) => {
    const inspection = inspect(context);
    const fired = rules.decide(inspection.arrived);
    if (fired === undefined) return undefined;
    const { contexts, response } = applyFault(context, inspection, fired);
    for (const one of contexts) journal.record(one);
    meter?.fired(fired.kind);
    return response;
  };
}

function singleResult(context: RequestContext): FaultResult {
  return { contexts: [context], response: context.response };
}

function recordOf({ rule, kind, verdict, delayMs }: FiredRule, served: boolean): FaultRecord {
  const fixed = { rule, kind, verdict, delayMs, served };
  return { ...fixed, application: 1, received: "whole", lost: undefined };
}

function explainedBy(rule: string, answer: ApiResponse): ApiResponse {
  return answer.status === 0
    ? answer
    : { ...answer, headers: { ...answer.headers, "x-adsim-fault": rule } };
}
