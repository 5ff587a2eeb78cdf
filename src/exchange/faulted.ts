/**
 * The way of a request through the fault rules: where one picks it out, what the service does of it, and what of its answer
 * the client gets. Only describes what happens to a connection; an adapter acts it out.
 */

import type { Fired } from "../faults/installed-rule.ts";
import type { Injected } from "../faults/plan.ts";
import type { JournalRing } from "../journal/journal.ts";
import type { FaultRecord } from "../journal/record.ts";
import { deliveries } from "../spec/delivery.ts";
import { type ApiResponse, copyOfResponse, noResponse } from "../spec/messages.ts";
import type { Cors } from "./cors.ts";
import { countUnseen, tallyOf } from "./count.ts";
import type { Inspection } from "./inspect.ts";
import { documented } from "./operations/outcome.ts";
import type { Quota } from "./quota.ts";
import { type Responder, withoutBody } from "./respond.ts";
import type { Visit } from "./visit.ts";
import type { World } from "./world.ts";

/** Takes a request through the rules. @returns what the client gets; undefined where no rule picks the request out. */
export type FaultedPath = (visit: Visit) => ApiResponse | undefined;

/** What became of a request. */
interface Met {
  /** For the journal: two where the service acted twice. */
  readonly visits: readonly Visit[];
  /** What the client gets. */
  readonly response: ApiResponse;
}

export interface FaultedPathParts {
  readonly world: World;
  readonly journal: JournalRing;
  readonly inspect: (visit: Visit) => Inspection;
  readonly quota: Quota;
  readonly respond: Responder;
  /** Undefined where no page may read anything. */
  readonly cors: Cors | undefined;
  /** Lets the service do its part, and counts it. */
  readonly serve: (visit: Visit) => void;
}

export function createFaultedPath(parts: FaultedPathParts): FaultedPath {
  const { world, journal, inspect, quota, respond, cors, serve } = parts;
  const { accounts, explain, rules, whyNot, meter } = world;

  function meet(visit: Visit, inspection: Inspection, fired: Fired): Met {
    switch (fired.plan.applications) {
      case 0:
        return met(keptFromService(visit, inspection, fired));
      case 1:
        return met(served(visit, fired));
      case 2:
        return servedTwice(visit, fired);
    }
  }

  function keptFromService(visit: Visit, inspection: Inspection, fired: Fired): Visit {
    const { plan, kind } = fired;
    visit.operation = inspection.arrived.operation;
    visit.publisher = inspection.arrived.publisher;
    visit.account = inspection.concerned();
    visit.producedBy = "rule";
    visit.reason = `fault: ${kind}`;
    visit.shapedBy = documented;
    const tally = tallyOf(visit, accounts);
    if (plan.injected === undefined) {
      if (tally !== undefined) tally.dropped += 1;
      handOver(visit, fired, noResponse, recordOf(fired, false));
      return visit;
    }
    if (tally !== undefined) tally.injected += 1;
    handOver(visit, fired, answerWith(plan.injected, visit), recordOf(fired, false));
    return visit;
  }

  function served(visit: Visit, fired: Fired): Visit {
    const { injected } = fired.plan;
    serve(visit);
    if (injected === undefined) {
      handOver(visit, fired, visit.response, recordOf(fired, true));
      return visit;
    }
    const own = visit.response;
    visit.producedBy = "rule";
    handOver(visit, fired, answerWith(injected, visit), recordOf(fired, true));
    lose(visit, own);
    return visit;
  }

  function servedTwice(visit: Visit, fired: Fired): Met {
    const copy = visit.again();
    serve(visit);
    serve(copy);
    const tally = tallyOf(copy, accounts);
    if (tally !== undefined) tally.copies += 1;
    const first = recordOf(fired, true);
    const second: FaultRecord = { ...first, application: 2 };
    if (fired.plan.answerOf === "first") {
      handOver(visit, fired, visit.response, first);
      hide(copy, second);
      return { visits: [visit, copy], response: visit.response };
    }
    hide(visit, first);
    handOver(copy, fired, copy.response, second);
    return { visits: [visit, copy], response: copy.response };
  }

  /** The answer that the client never sees, because another one takes its place. */
  function hide(visit: Visit, fault: FaultRecord): void {
    visit.fault = { ...fault, received: "nothing", lost: visit.response };
    visit.response = noResponse;
    countUnseen(tallyOf(visit, accounts), visit);
  }

  /** Sends an answer on its way. Where it doesn't arrive whole, the client doesn't know of what was done. */
  function handOver(visit: Visit, fired: Fired, answer: ApiResponse, fault: FaultRecord): void {
    visit.fault = fault;
    const explained = explain ? explainedBy(fired.rule, answer) : answer;
    const { response, manner } = fired.plan.handOver(explained);
    const { delayMs } = fired;
    // What the client gets shares its headers with the answer.
    const own = copyOfResponse(answer);
    visit.response =
      manner.kind === "whole" && delayMs === 0
        ? response
        : {
            ...response,
            delivery: { ...manner, delayMs, undelivered: () => giveUp(visit, own) },
          };
    fault.received = deliveries[manner.kind].received;
    if (fault.received !== "whole" && fault.served) lose(visit, own);
  }

  /** The service did its part, and the client doesn't get its answer. */
  function lose(visit: Visit, answer: ApiResponse): void {
    const { fault } = visit;
    if (fault === undefined || fault.lost !== undefined) return;
    fault.lost = answer;
    const tally = tallyOf(visit, accounts);
    if (tally !== undefined) tally.lost += 1;
    countUnseen(tally, visit);
  }

  /** The client had gone before its response was handed over. `answer`: as the service or the rule made it. */
  function giveUp(visit: Visit, answer: ApiResponse): void {
    const { fault } = visit;
    if (fault === undefined || fault.received === "nothing") return;
    fault.received = "nothing";
    visit.response = noResponse;
    if (fault.served) {
      lose(visit, answer);
      return;
    }
    const tally = tallyOf(visit, accounts);
    if (tally === undefined) return;
    tally.injected -= 1;
    tally.dropped += 1;
  }

  /** An answer by a rule, with the limit as it stands. */
  function answerWith(
    injected: Injected,
    { method, headers, operation, account, nowMs }: Visit,
  ): ApiResponse {
    const standing = quota.standing(operation, account, nowMs);
    const response = respond.injected(injected, standing, cors?.answerHeaders(headers));
    return method === "HEAD" ? withoutBody(response) : response;
  }

  return (visit) => {
    const inspection = inspect(visit);
    const fired = rules.look(inspection.arrived, whyNot);
    if (fired === undefined) return undefined;
    const { visits, response } = meet(visit, inspection, fired);
    for (const one of visits) journal.record(one);
    meter?.fired(fired.kind);
    return response;
  };
}

function met(visit: Visit): Met {
  return { visits: [visit], response: visit.response };
}

function recordOf({ rule, kind, delayMs }: Fired, served: boolean): FaultRecord {
  return { rule, kind, delayMs, served, application: 1, received: "whole", lost: undefined };
}

function explainedBy(rule: string, answer: ApiResponse): ApiResponse {
  return answer.status === 0
    ? answer
    : { ...answer, headers: { ...answer.headers, "x-adsim-fault": rule } };
}
