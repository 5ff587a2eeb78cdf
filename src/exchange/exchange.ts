/**
 * The one path of a request, top to bottom: route → authenticate → limit → read (parse, validate) → authorize →
 * operate → respond → journal. One synchronous call: no await can tear the state.
 */

import type { Account } from "../accounts/account.ts";
import type { Day } from "../base/calendar.ts";
import type { Rejection } from "../contract/errors.ts";
import type { ApiRequest, ApiResponse } from "../contract/messages.ts";
import type { Input, Operation, OperationId } from "../contract/operations.ts";
import type { Moment } from "../ledger/book.ts";
import { createAuthenticator } from "./authenticate.ts";
import { createAuthorizer } from "./authorize.ts";
import type { JournalRing } from "./journal.ts";
import { createClick } from "./operations/click.ts";
import { createImpression } from "./operations/impression.ts";
import { createPayouts } from "./operations/payouts.ts";
import { createStats } from "./operations/stats.ts";
import { listSurfaces } from "./operations/surfaces.ts";
import type { Outcome } from "./outcome.ts";
import { type ParsedTarget, queryText } from "./parameters.ts";
import { createQuota } from "./quota.ts";
import { createInputReaders } from "./read-input.ts";
import { createResponder, type RefusalExtra, withoutBody } from "./respond.ts";
import { createRouter } from "./route.ts";
import { dayReader, dedupWindowOf, type World } from "./world.ts";

export type Exchange = (request: ApiRequest) => ApiResponse;

/** What each operation does with its validated input. A missing operation is a type error. */
type Operators = {
  readonly [Id in OperationId]: (input: Input<Id>, account: Account, moment: Moment) => Outcome;
};

/** The request path of a world under its assumptions. `startDay`: the first day without seeded history. */
export function createExchange(world: World, journal: JournalRing, startDay: Day): Exchange {
  const { assumptions, accounts, clock } = world;
  const route = createRouter(assumptions);
  const authenticate = createAuthenticator(assumptions, accounts);
  const quota = createQuota(assumptions);
  const readers = createInputReaders(assumptions);
  const authorize = createAuthorizer(assumptions, accounts);
  const dayOf = dayReader(assumptions);
  const respond = createResponder(assumptions);
  const operators: Operators = {
    stats: createStats(world),
    impression: createImpression(world),
    click: createClick(world),
    surfaces: listSurfaces,
    payouts: createPayouts(world, startDay),
  };

  const forget = forgetter(world);

  return function exchange(request) {
    const nowMs = clock.now();
    forget(nowMs);
    const { method } = request;
    const target = splitTarget(request);
    const journalled = (
      response: ApiResponse,
      reason: string,
      operation?: Operation,
      account?: Account,
    ): ApiResponse => {
      const sent = method === "HEAD" ? withoutBody(response) : response;
      journal.record({
        nowMs,
        operation: operation?.id,
        publisher: account?.id,
        method,
        path: target.path,
        query: target.query,
        headers: target.headers,
        body: target.body,
        response: sent,
        reason,
      });
      return sent;
    };
    const refuse = (
      rejection: Rejection,
      remaining: number,
      extra: RefusalExtra = {},
      operation?: Operation,
      account?: Account,
    ): ApiResponse =>
      journalled(respond.refusal(rejection, remaining, extra), rejection.code, operation, account);

    const routed = route(method, target.path);
    if (routed.kind === "refused") {
      return refuse(routed.rejection, quota.untouched(undefined), { allow: routed.allow });
    }
    const { operation } = routed;

    const caller = authenticate(target.headers);
    if (caller.kind === "refused") {
      return refuse(caller.rejection, quota.untouched(operation.limit), {}, operation);
    }
    const { account } = caller;

    const { admitted, remaining, retryAfterMs } = quota.admit(operation.limit, account, nowMs);
    if (!admitted) {
      return refuse(limitRejection(operation), remaining, { retryAfterMs }, operation, account);
    }

    const read = readers[operation.id](target);
    if (read.kind === "refused") return refuse(read.rejection, remaining, {}, operation, account);
    const { input } = read;
    const named = "publisher_id" in operation.parameters;
    // An operation that has publisher_id requires it, as text.
    const foreign = named
      ? authorize((input as Input<"surfaces">).publisher_id, account)
      : undefined;
    if (foreign !== undefined) return refuse(foreign.rejection, remaining, {}, operation, account);

    // The validator of an operation gives the input of that operation.
    const operate = operators[operation.id] as Operators["impression"];
    const outcome = operate(input as Input<"impression">, account, { nowMs, today: dayOf(nowMs) });
    if (outcome.kind === "refused") {
      return refuse(outcome.rejection, remaining, {}, operation, account);
    }
    return journalled(respond.success(outcome, remaining), outcome.note, operation, account);
  };
}

/** Frees, once a window, what de-duplication no longer needs: a publisher may never send again. */
function forgetter(world: World): (nowMs: number) => void {
  const windowMs = dedupWindowOf(world.assumptions);
  let dueMs = Number.NEGATIVE_INFINITY;
  return (nowMs) => {
    if (nowMs < dueMs) return;
    dueMs = nowMs + windowMs;
    for (const account of world.accounts.opened()) account.book.forget(nowMs, windowMs);
  };
}

function limitRejection(operation: Operation): Rejection {
  return operation.limit === "recording" ? recordingLimit : reportingLimit;
}

const recordingLimit: Rejection = {
  code: "rate_limited",
  detail: "More than 10,000 impression and click requests of this publisher in a minute.",
};
const reportingLimit: Rejection = {
  code: "rate_limited",
  detail: "More than 60 stats and reporting requests with this API key in a minute.",
};

interface Target extends ParsedTarget {
  readonly path: string;
}

const noHeaders: Readonly<Record<string, string>> = Object.freeze({});

/** The request with its query apart from its path, and its body as it is on the wire. */
function splitTarget(request: ApiRequest): Target {
  const { path, headers = noHeaders, body = "" } = request;
  const mark = path.indexOf("?");
  const inPath = mark === -1 ? "" : path.slice(mark + 1);
  const given = request.query === undefined ? "" : queryText(request.query);
  return {
    path: mark === -1 ? path : path.slice(0, mark),
    query: inPath === "" || given === "" ? inPath + given : `${inPath}&${given}`,
    headers,
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
  };
}
