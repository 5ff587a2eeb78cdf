/**
 * The path of every request, top to bottom: fault rules → identify (route, authenticate) → limit → operate (read, authorize,
 * carry out) → conclude (respond) → count → journal. A single synchronous call, so no other request can interleave.
 */

import type { JournalRing } from "../journal/journal.ts";
import { type Rejection, saysDuplicate } from "../spec/errors.ts";
import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import { type Input, type OperationId, operations } from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import type { Moment } from "../world/ledger/book.ts";
import { createAuthenticator } from "./authenticate.ts";
import { createAuthorizer, shapedByScope } from "./authorize.ts";
import { createCors, isPreflight } from "./cors.ts";
import { countedAs, createCorsResponses } from "./cors-responses.ts";
import { createFaultedPath } from "./faulted-path.ts";
import { createIdentify, type Identified, type Unidentified } from "./identify.ts";
import { createInspector } from "./inspect.ts";
import { createClick } from "./operations/click.ts";
import { createImpressionRecorder } from "./operations/impression.ts";
import {
  alsoShapedBy,
  mergeShapedBy,
  type Outcome,
  type Refusal,
  refused,
} from "./operations/outcome.ts";
import { createPayouts } from "./operations/payouts.ts";
import { createStats } from "./operations/stats.ts";
import { listSurfaces } from "./operations/surfaces.ts";
import { createQuota, type QuotaLeft, type QuotaStatus } from "./quota.ts";
import { createInputReaders } from "./read-input.ts";
import { RequestContext } from "./request-context.ts";
import { createResponder, type RefusalExtra, withoutBody } from "./respond.ts";
import { countServed, tallyOf } from "./tally-requests.ts";
import { shapedByReading } from "./validate.ts";
import { createDedupCleanup, type World } from "./world.ts";

/** The service of one world. */
export interface Exchange {
  handle(request: ApiRequest): ApiResponse;
  /** Answers a message that couldn't be read as a request. It isn't recorded, and no key is read. */
  refuse(rejection: Rejection): ApiResponse;
  /** What is left of each limit that counts the account's requests. Spends nothing. */
  quotasLeft(account: Account): readonly QuotaLeft[];
}

/** The operations. A missing one is a type error. */
type Operators = {
  readonly [Id in OperationId]: (input: Input<Id>, account: Account, moment: Moment) => Outcome;
};

/** The request path of a world under its assumptions. */
export function createExchange(world: World, journal: JournalRing): Exchange {
  const { assumptions, accounts, clock, dayOf, rules, about, meter } = world;
  // Destructured once: V8 looks up methods slowly in an object that has getters.
  const { now } = clock;
  const { isEmpty } = rules;
  const { record } = journal;
  const authenticate = createAuthenticator(accounts);
  const quota = createQuota(assumptions);
  const readers = createInputReaders(assumptions);
  const authorize = createAuthorizer(world, readers);
  const identify = createIdentify({ assumptions, authenticate, authorize });
  const cors = createCors(world);
  const respond = createResponder({ ...world, variesByOrigin: cors !== undefined });
  const pages = createCorsResponses(cors, quota, respond);
  const impressions = createImpressionRecorder(world);
  const operators: Operators = {
    stats: createStats(world),
    impression: impressions.record,
    click: createClick(world),
    surfaces: listSurfaces,
    payouts: createPayouts(world),
  };

  const forget = createDedupCleanup(world);
  const inspect = createInspector({ accounts, authenticate, authorize, readers });
  const applyRules = createFaultedPath({ world, journal, inspect, quota, respond, cors, serve });

  function handle(request: ApiRequest): ApiResponse {
    const beganMs = meter === undefined ? 0 : meter.begin();
    const nowMs = now();
    forget(nowMs);
    const context = new RequestContext(request, nowMs, about);
    // Rules apply to clients' requests. A preflight comes from the browser.
    const skipsRules = isEmpty() || isPreflight(context.method, context.headers);
    const faulted = skipsRules ? undefined : applyRules(context);
    const response = faulted ?? serveWithoutFaults(context);
    if (meter !== undefined) meter.answered(countedAs(context), response.status, beganMs);
    return response;
  }

  function serveWithoutFaults(context: RequestContext): ApiResponse {
    serve(context);
    return record(context);
  }

  /** What the service does, before a rule may change its answer. */
  function serve(context: RequestContext): void {
    const identity = identify(context);
    const answered =
      identity.kind === "identified"
        ? answer(context, identity)
        : answerUnidentified(context, identity);
    const response = identity.isHead ? withoutBody(answered) : answered;
    context.response = pages.withCorsHeaders(context, response);
    countServed(tallyOf(context, accounts), context.effect, context.micros);
  }

  function answer(context: RequestContext, identified: Identified): ApiResponse {
    const { operation, caller, quotaAccount } = identified;
    context.operation = operation;
    context.publisher = caller.id;
    context.account = quotaAccount;
    const quotaStatus = quota.admit(operation, quotaAccount, context.nowMs);
    if (!quotaStatus.admitted) {
      context.producedBy = "limit";
      meter?.limited(operation);
      const exceeded = noteScope(quota.exceeded(operation), quotaAccount, caller);
      const { retryAfterMs } = quotaStatus;
      return refuse(context, exceeded, quotaStatus, { retryAfterMs, nowMs: context.nowMs });
    }
    return conclude(context, operate(context, identified), quotaStatus);
  }

  /** Carries out the operation. Reads the parameters first, unless the body was recognised. */
  function operate(
    context: RequestContext,
    { operation, caller, recognised }: Identified,
  ): Outcome {
    const { nowMs } = context;
    const moment: Moment = { nowMs, today: dayOf(nowMs) };
    if (recognised !== undefined) {
      const { surfaceIndex, dedupInput } = recognised;
      context.shapedBy = shapedByReadingImpressions;
      return impressions.recordOnSurface(surfaceIndex, dedupInput, caller, moment);
    }
    const read = readers[operation](context);
    if (read.kind === "refused") return read;
    context.shapedBy = read.shapedBy;

    const concerned = authorize.accountOf(read.subject, caller);
    if ("kind" in concerned) return concerned;
    context.account = concerned;
    // The reader of an operation returns that operation's input.
    const operator = operators[operation] as (...args: OperateArguments) => Outcome;
    return noteScope(operator(read.input, concerned, moment), concerned, caller);
  }

  function conclude(
    context: RequestContext,
    outcome: Outcome,
    quotaStatus: QuotaStatus,
  ): ApiResponse {
    if (outcome.kind === "refused") return refuse(context, outcome, quotaStatus);
    context.reason = outcome.note;
    context.effect = outcome.effect;
    context.micros = outcome.micros;
    context.shapedBy = respond.successShapedBy(mergeShapedBy(context.shapedBy, outcome.shapedBy));
    return respond.success(outcome, quotaStatus, context.shapedBy);
  }

  function answerUnidentified(
    context: RequestContext,
    { operation, sender, why }: Unidentified,
  ): ApiResponse {
    const preflight = pages.preflight(context, why);
    if (preflight !== undefined) return preflight;
    context.operation = operation;
    context.account = sender;
    context.publisher = sender?.id;
    const quotaStatus = quota.quotaStatus(operation, sender, context.nowMs);
    return refuse(context, why, quotaStatus, { allow: why.methods?.join(", ") });
  }

  function refuse(
    context: RequestContext,
    refusal: Refusal,
    quotaStatus: QuotaStatus,
    extra: RefusalExtra = {},
  ): ApiResponse {
    const { rejection } = refusal;
    context.reason = rejection.code;
    context.effect = saysDuplicate(rejection.code) ? "suppressed" : "refused";
    context.shapedBy = respond.refusalShapedBy(alsoShapedBy(refusal, context.shapedBy));
    return respond.refusal(rejection, quotaStatus, context.shapedBy, extra);
  }

  return {
    handle,
    quotasLeft: (account) => quota.left(account, now()),
    refuse(rejection) {
      const quotaStatus = quota.quotaStatus(undefined, undefined, now());
      return respond.refusal(
        rejection,
        quotaStatus,
        respond.refusalShapedBy(refused(rejection)),
        {},
      );
    },
  };
}

const shapedByReadingImpressions = shapedByReading(operations.impression);

type OperateArguments = [input: Input<OperationId>, account: Account, moment: Moment];

/** Adds `auth.key-scope` if the decision concerns another account than the key's. */
function noteScope<Decided extends Outcome>(
  decided: Decided,
  concerned: Account,
  caller: Account,
): Decided {
  return concerned === caller ? decided : alsoShapedBy(decided, shapedByScope);
}
