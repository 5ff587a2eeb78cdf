/**
 * The one path of a request, top to bottom: fault rules → route → authenticate → limit → read (parse, validate) →
 * authorize → operate → respond → count → journal. An impression as nearly every client sends it is recognised at once: it
 * skips route, authenticate, read and authorize, with or without fault rules. One synchronous call: no await can tear the
 * state.
 */

import type { Day } from "../base/calendar.ts";
import type { JournalRing } from "../journal/journal.ts";
import { saysDuplicate } from "../spec/errors.ts";
import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import { type Input, type OperationId, operations } from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import type { Moment } from "../world/ledger/book.ts";
import type { Decision } from "../world/limits/algorithm.ts";
import { createAuthenticator } from "./authenticate.ts";
import { createAuthorizer, shapedByScope } from "./authorize.ts";
import { createCors, isPreflight } from "./cors.ts";
import { countServed, tallyOf } from "./count.ts";
import { createFaultedPath } from "./faulted.ts";
import { createClick } from "./operations/click.ts";
import { createImpressionRecorder } from "./operations/impression.ts";
import { createPayouts } from "./operations/payouts.ts";
import { createStats } from "./operations/stats.ts";
import { listSurfaces } from "./operations/surfaces.ts";
import {
  alsoShapedBy,
  documented,
  type Outcome,
  type Refused,
  refused,
  type ShapedBy,
  shapedByBoth,
} from "./outcome.ts";
import { countedAs, createPages } from "./pages.ts";
import { createQuota, type Standing } from "./quota.ts";
import { createInputReaders } from "./read-input.ts";
import { createRecogniser } from "./recognise.ts";
import { createResponder, type RefusalExtra, withoutBody } from "./respond.ts";
import { createRouter, locationOf, type Route } from "./route.ts";
import { createSight } from "./sight.ts";
import type { Recognised } from "./usual-impressions.ts";
import { shapedByReading } from "./validate.ts";
import { Visit } from "./visit.ts";
import { dayReader, forgetter, type World } from "./world.ts";

export type Exchange = (request: ApiRequest) => ApiResponse;

/** What each operation does with its validated input. A missing operation is a type error. */
type Operators = {
  readonly [Id in OperationId]: (input: Input<Id>, account: Account, moment: Moment) => Outcome;
};

/** The request path of a world under its assumptions. `startDay`: the first day without seeded history. */
export function createExchange(world: World, journal: JournalRing, startDay: Day): Exchange {
  const { assumptions, accounts, clock, rules, about, meter, explain } = world;
  // Taken out once: an engine looks a method up slowly, request by request, in an object that has getters.
  const { now } = clock;
  const { isEmpty } = rules;
  const { record, passUnseen } = journal;
  const route = createRouter(assumptions);
  const authenticate = createAuthenticator(assumptions, accounts);
  const quota = createQuota(assumptions);
  const recognise = createRecogniser(assumptions, authenticate);
  const readers = createInputReaders(assumptions);
  const authorize = createAuthorizer(world, readers);
  const dayOf = dayReader(assumptions);
  const momentOf = (nowMs: number): Moment => ({ nowMs, today: dayOf(nowMs) });
  const cors = createCors(world);
  const respond = createResponder({ ...world, variesByOrigin: cors !== undefined });
  const pages = createPages(cors, quota, respond);
  const impressions = createImpressionRecorder(world);
  const operators: Operators = {
    stats: createStats(world, startDay),
    impression: impressions.record,
    click: createClick(world),
    surfaces: listSurfaces,
    payouts: createPayouts(world, startDay),
  };

  const forget = forgetter(world);
  const sight = createSight({ accounts, route, authenticate, authorize, readers });
  const throughRules = createFaultedPath({ world, journal, sight, quota, respond, cors, serve });

  return (request) => {
    const beganMs = meter === undefined ? 0 : meter.begin();
    const nowMs = now();
    forget(nowMs);
    const isUndisturbed = isEmpty();
    const recognised = isUndisturbed && !pages.sent(request) ? recognise(request) : undefined;
    if (recognised !== undefined) {
      const response = takeImpression(request, recognised, nowMs);
      if (meter !== undefined) meter.answered("impression", response.status, beganMs);
      return response;
    }
    const visit = new Visit(request, nowMs, about);
    // Rules are about requests of clients, and a preflight is a browser's.
    const isSpared = isUndisturbed || isPreflight(visit.method, visit.headers);
    const faulted = isSpared ? undefined : throughRules(visit);
    const response = faulted ?? undisturbed(visit);
    if (meter !== undefined) meter.answered(countedAs(visit), response.status, beganMs);
    return response;
  };

  /**
   * The whole way of a recognised impression that no rule may touch. What becomes of it is mostly nobody's to look at where
   * the journal is off: then there is no visit.
   */
  function takeImpression(request: ApiRequest, recognised: Recognised, nowMs: number): ApiResponse {
    const { account } = recognised;
    const standing = quota.admit("impression", account, nowMs);
    const outcome = standing.admitted ? recordImpression(recognised, nowMs) : undefined;
    if (outcome?.kind === "done" && passUnseen()) {
      countServed(account.tally.impression, outcome.effect, outcome.micros);
      const shapedBy = explain ? shapedSuccess(shapedByReadingImpressions, outcome) : documented;
      return respond.success(outcome, standing, shapedBy);
    }
    const visit = new Visit(request, nowMs, about);
    visit.response = concludeImpression(visit, account, standing, outcome);
    countServed(account.tally.impression, visit.effect, visit.micros);
    return record(visit);
  }

  function undisturbed(visit: Visit): ApiResponse {
    serve(visit);
    return record(visit);
  }

  /** What the service does, whatever rules make of its answer. */
  function serve(visit: Visit): void {
    const answered = answer(visit);
    const response = visit.method === "HEAD" ? withoutBody(answered) : answered;
    visit.response = pages.readable(visit, response);
    countServed(tallyOf(visit, accounts), visit.effect, visit.micros);
  }

  function answer(visit: Visit): ApiResponse {
    if (visit.flaw !== undefined) return unreadable(visit, visit.flaw);
    const recognised = recognise(visit);
    if (recognised !== undefined) return answerImpression(visit, recognised);

    const routed = route(visit.method, visit.path);
    if (routed.kind !== "operation")
      return pages.preflight(visit, routed) ?? unrouted(visit, routed);
    const { operation } = routed;
    visit.operation = operation.id;
    visit.shapedBy = routed.shapedBy;

    const caller = authenticate.callerOf(visit.headers);
    if (caller.kind === "refused") {
      return refuse(visit, caller, quota.standing(operation.id, undefined, visit.nowMs));
    }
    const { account } = caller;
    visit.publisher = account.id;
    visit.shapedBy = shapedByBoth(visit.shapedBy, caller.shapedBy);

    const payer = authorize.payerOf(operation, visit, account);
    visit.account = payer;
    const standing = quota.admit(operation.id, payer, visit.nowMs);
    if (!standing.admitted) {
      const exceeded = inScope(quota.exceeded(operation.id), payer, account);
      return refuseExceeding(visit, operation.id, exceeded, standing);
    }

    const read = readers[operation.id](visit);
    if (read.kind === "refused") return refuseAdmitted(visit, read, standing, payer);
    visit.shapedBy = shapedByBoth(visit.shapedBy, read.shapedBy);

    const concerned = authorize.accountOf(read.subject, account);
    if ("kind" in concerned) return refuseAdmitted(visit, concerned, standing, payer);

    visit.account = concerned;
    // The reader of an operation gives the input of that operation.
    const operate = operators[operation.id] as (...args: OperateArguments) => Outcome;
    const outcome = operate(read.input, concerned, momentOf(visit.nowMs));
    return conclude(visit, inScope(outcome, concerned, account), standing, payer);
  }

  /** An impression whose route, caller, parameters and publisher are known to be right: limit, operate, respond. */
  function answerImpression(visit: Visit, recognised: Recognised): ApiResponse {
    const { account } = recognised;
    const standing = quota.admit("impression", account, visit.nowMs);
    const outcome = standing.admitted ? recordImpression(recognised, visit.nowMs) : undefined;
    return concludeImpression(visit, account, standing, outcome);
  }

  function recordImpression(recognised: Recognised, nowMs: number): Outcome {
    const { surfaceIndex, showing, account } = recognised;
    return impressions.recordOn(surfaceIndex, showing, account, momentOf(nowMs));
  }

  /** `outcome`: undefined where the limit didn't let it pass. */
  function concludeImpression(
    visit: Visit,
    account: Account,
    standing: Decision & Standing,
    outcome: Outcome | undefined,
  ): ApiResponse {
    visit.operation = "impression";
    visit.publisher = account.id;
    visit.account = account;
    if (outcome === undefined) {
      return refuseExceeding(visit, "impression", quota.exceeded("impression"), standing);
    }
    // Not before: a refusal by the limit doesn't rest on how the body was read.
    visit.shapedBy = shapedByReadingImpressions;
    return conclude(visit, outcome, standing, account);
  }

  function conclude(
    visit: Visit,
    outcome: Outcome,
    standing: Standing,
    payer: Account,
  ): ApiResponse {
    if (outcome.kind === "refused") return refuseAdmitted(visit, outcome, standing, payer);
    visit.reason = outcome.note;
    visit.effect = outcome.effect;
    visit.micros = outcome.micros;
    visit.shapedBy = shapedSuccess(visit.shapedBy, outcome);
    return respond.success(outcome, standing, visit.shapedBy);
  }

  function shapedSuccess(admittedBy: ShapedBy, { shapedBy }: Outcome): ShapedBy {
    return respond.shapedSuccess(shapedByBoth(admittedBy, shapedBy));
  }

  function refuseExceeding(
    visit: Visit,
    operation: OperationId,
    exceeded: Refused,
    standing: Decision & Standing,
  ): ApiResponse {
    visit.producedBy = "limit";
    meter?.limited(operation);
    const { retryAfterMs } = standing;
    return refuse(visit, exceeded, standing, { retryAfterMs, nowMs: visit.nowMs });
  }

  /** Refuses what the limit let pass at the expense of `payer`. */
  function refuseAdmitted(
    visit: Visit,
    refusal: Refused,
    spent: Standing,
    payer: Account,
  ): ApiResponse {
    const { operation, nowMs } = visit;
    const given = operation && quota.giveBack(operation, payer, nowMs);
    if (given === undefined) return refuse(visit, refusal, spent);
    const shapedBy = shapedByBoth(refusal.shapedBy, ["limit.rejected-requests"]);
    return refuse(visit, { ...refusal, shapedBy }, given);
  }

  function unreadable(visit: Visit, flaw: string): ApiResponse {
    const refusal = refused({ code: "malformed_request", detail: `It can't be read: ${flaw}.` });
    return refuse(visit, refusal, quota.standing(undefined, undefined, visit.nowMs));
  }

  function unrouted(visit: Visit, routed: Exclude<Route, { kind: "operation" }>): ApiResponse {
    const { nowMs } = visit;
    // Whoever sent a valid key is told what is left for it.
    visit.account = authenticate.glance(visit.headers);
    visit.publisher = visit.account?.id;
    if (routed.kind === "refused") {
      const standing = quota.standing(undefined, visit.account, nowMs);
      return refuse(visit, routed, standing, { allow: routed.allow });
    }
    visit.reason = "redirected";
    visit.shapedBy = respond.shapedRedirect(routed.shapedBy);
    const standing = quota.standing(routed.operation.id, visit.account, nowMs);
    return respond.redirect(locationOf(routed.segment, visit.query), standing, visit.shapedBy);
  }

  function refuse(
    visit: Visit,
    refusal: Refused,
    standing: Standing,
    extra: RefusalExtra = {},
  ): ApiResponse {
    const { rejection } = refusal;
    visit.reason = rejection.code;
    visit.effect = saysDuplicate(rejection.code) ? "suppressed" : "refused";
    visit.shapedBy = respond.shapedRefusal(alsoShapedBy(refusal, visit.shapedBy));
    return respond.refusal(rejection, standing, visit.shapedBy, extra);
  }
}

const shapedByReadingImpressions = shapedByReading(operations.impression);

type OperateArguments = [input: Input<OperationId>, account: Account, moment: Moment];

/** The decision. It rests on one more open point where it concerns another account than the key's. */
function inScope<Decided extends Outcome>(
  decided: Decided,
  concerned: Account,
  caller: Account,
): Decided {
  return concerned === caller ? decided : alsoShapedBy(decided, shapedByScope);
}
