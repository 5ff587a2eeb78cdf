/**
 * The one path of a request, top to bottom: fault rules → identify (route, authenticate) → limit → operate (read, authorize,
 * do it) → conclude (respond) → count → journal. One synchronous call: no await can tear the state.
 */

import type { Day } from "../base/calendar.ts";
import type { JournalRing } from "../journal/journal.ts";
import { type Rejection, saysDuplicate } from "../spec/errors.ts";
import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import { type Input, type OperationId, operations } from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import type { Moment } from "../world/ledger/book.ts";
import { createAuthenticator } from "./authenticate.ts";
import { createAuthorizer, shapedByScope } from "./authorize.ts";
import { createCors, isPreflight } from "./cors.ts";
import { countServed, tallyOf } from "./count.ts";
import { createFaultedPath } from "./faulted.ts";
import { createIdentify, type Identified, type Unidentified } from "./identify.ts";
import { createInspector } from "./inspect.ts";
import { createClick } from "./operations/click.ts";
import { createImpressionRecorder } from "./operations/impression.ts";
import { dayReader } from "./operations/operated-world.ts";
import {
  alsoShapedBy,
  type Outcome,
  type Refused,
  refused,
  shapedByBoth,
} from "./operations/outcome.ts";
import { createPayouts } from "./operations/payouts.ts";
import { createStats } from "./operations/stats.ts";
import { listSurfaces } from "./operations/surfaces.ts";
import { countedAs, createPages } from "./pages.ts";
import { createQuota, type Standing } from "./quota.ts";
import { createInputReaders } from "./read-input.ts";
import { createResponder, type RefusalExtra, withoutBody } from "./respond.ts";
import { createRouter, locationOf } from "./route.ts";
import { shapedByReading } from "./validate.ts";
import { Visit } from "./visit.ts";
import { forgetter, type World } from "./world.ts";

/** The service of one world. */
export interface Exchange {
  /** Answers a request. */
  handle(request: ApiRequest): ApiResponse;
  /** Answers what never became a request. It isn't recorded, and no key was read. */
  refuse(rejection: Rejection): ApiResponse;
}

/** What each operation does with its validated input. A missing operation is a type error. */
type Operators = {
  readonly [Id in OperationId]: (input: Input<Id>, account: Account, moment: Moment) => Outcome;
};

/** The request path of a world under its assumptions. `startDay`: the first day without seeded history. */
export function createExchange(world: World, journal: JournalRing, startDay: Day): Exchange {
  const { assumptions, accounts, clock, rules, about, meter } = world;
  // Taken out once: an engine looks a method up slowly, request by request, in an object that has getters.
  const { now } = clock;
  const { isEmpty } = rules;
  const { record } = journal;
  const route = createRouter(assumptions);
  const authenticate = createAuthenticator(assumptions, accounts);
  const quota = createQuota(assumptions);
  const readers = createInputReaders(assumptions);
  const authorize = createAuthorizer(world, readers);
  const identify = createIdentify({ assumptions, route, authenticate, authorize });
  const dayOf = dayReader(assumptions);
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
  const inspect = createInspector({ accounts, route, authenticate, authorize, readers });
  const throughRules = createFaultedPath({ world, journal, inspect, quota, respond, cors, serve });

  function handle(request: ApiRequest): ApiResponse {
    const beganMs = meter === undefined ? 0 : meter.begin();
    const nowMs = now();
    forget(nowMs);
    const visit = new Visit(request, nowMs, about);
    // Rules are about requests of clients, and a preflight is a browser's.
    const isSpared = isEmpty() || isPreflight(visit.method, visit.headers);
    const faulted = isSpared ? undefined : throughRules(visit);
    const response = faulted ?? undisturbed(visit);
    if (meter !== undefined) meter.answered(countedAs(visit), response.status, beganMs);
    return response;
  }

  function undisturbed(visit: Visit): ApiResponse {
    serve(visit);
    return record(visit);
  }

  /** What the service does, whatever rules make of its answer. */
  function serve(visit: Visit): void {
    const identity = identify(visit);
    const answered =
      identity.kind === "identified" ? answer(visit, identity) : turnAway(visit, identity);
    const response = identity.isHead ? withoutBody(answered) : answered;
    visit.response = pages.readable(visit, response);
    countServed(tallyOf(visit, accounts), visit.effect, visit.micros);
  }

  function answer(visit: Visit, identified: Identified): ApiResponse {
    const { operation, caller, payer } = identified;
    visit.operation = operation;
    visit.publisher = caller.id;
    visit.account = payer;
    visit.shapedBy = identified.shapedBy;
    const standing = quota.admit(operation, payer, visit.nowMs);
    if (!standing.admitted) {
      visit.producedBy = "limit";
      meter?.limited(operation);
      const exceeded = inScope(quota.exceeded(operation), payer, caller);
      const { retryAfterMs } = standing;
      return refuse(visit, exceeded, standing, { retryAfterMs, nowMs: visit.nowMs });
    }
    return conclude(visit, operate(visit, identified), standing, payer);
  }

  /** Reads the parameters, unless that is done, and does what is asked. */
  function operate(visit: Visit, { operation, caller, recognised }: Identified): Outcome {
    const { nowMs } = visit;
    const moment: Moment = { nowMs, today: dayOf(nowMs) };
    if (recognised !== undefined) {
      const { surfaceIndex, dedupInput } = recognised;
      visit.shapedBy = shapedByReadingImpressions;
      return impressions.recordOn(surfaceIndex, dedupInput, caller, moment);
    }
    const read = readers[operation](visit);
    if (read.kind === "refused") return read;
    visit.shapedBy = shapedByBoth(visit.shapedBy, read.shapedBy);

    const concerned = authorize.accountOf(read.subject, caller);
    if ("kind" in concerned) return concerned;
    visit.account = concerned;
    // The reader of an operation gives the input of that operation.
    const operator = operators[operation] as (...args: OperateArguments) => Outcome;
    return inScope(operator(read.input, concerned, moment), concerned, caller);
  }

  /** `spent`: how the limit of `payer` stands since the request was admitted. */
  function conclude(visit: Visit, outcome: Outcome, spent: Standing, payer: Account): ApiResponse {
    if (outcome.kind === "refused") return refuseAdmitted(visit, outcome, spent, payer);
    visit.reason = outcome.note;
    visit.effect = outcome.effect;
    visit.micros = outcome.micros;
    visit.shapedBy = respond.shapedSuccess(shapedByBoth(visit.shapedBy, outcome.shapedBy));
    return respond.success(outcome, spent, visit.shapedBy);
  }

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

  function turnAway(visit: Visit, { operation, sender, why }: Unidentified): ApiResponse {
    const preflight = pages.preflight(visit, why);
    if (preflight !== undefined) return preflight;
    visit.operation = operation;
    visit.account = sender;
    visit.publisher = sender?.id;
    const { nowMs } = visit;
    if (why.kind === "refused") {
      return refuse(visit, why, quota.standing(operation, sender, nowMs), { allow: why.allow });
    }
    visit.reason = "redirected";
    visit.shapedBy = respond.shapedRedirect(why.shapedBy);
    const standing = quota.standing(why.operation.id, sender, nowMs);
    return respond.redirect(locationOf(why.segment, visit.query), standing, visit.shapedBy);
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

  return {
    handle,
    refuse(rejection) {
      const standing = quota.standing(undefined, undefined, now());
      return respond.refusal(rejection, standing, respond.shapedRefusal(refused(rejection)), {});
    },
  };
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
