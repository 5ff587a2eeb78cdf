/**
 * The one path of a request, top to bottom: route → authenticate → limit → read (parse, validate) → authorize →
 * operate → respond → journal. One synchronous call: no await can tear the state.
 */

import type { Account } from "../accounts/account.ts";
import type { Day } from "../base/calendar.ts";
import type { LimitClass } from "../contract/limits.ts";
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
import { type Outcome, type Refused, refused } from "./outcome.ts";
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

  return (request) => {
    const nowMs = clock.now();
    forget(nowMs);
    const { method } = request;
    const target = splitTarget(request);
    const answer = answerTo(method, target, nowMs);
    const response = method === "HEAD" ? withoutBody(answer.response) : answer.response;
    journal.record({
      nowMs,
      operation: answer.operation?.id,
      publisher: answer.account?.id,
      method,
      path: target.path,
      query: target.query,
      headers: target.headers,
      body: target.body,
      response,
      reason: answer.reason,
    });
    return response;
  };

  function answerTo(method: string, target: Target, nowMs: number): Answer {
    const routed = route(method, target.path);
    if (routed.kind === "refused") {
      return refuse(routed, quota.untouched(undefined), { allow: routed.allow });
    }
    const { operation } = routed;

    const caller = authenticate(target.headers);
    if (caller.kind === "refused")
      return refuse(caller, quota.untouched(operation.limit), {}, operation);
    const { account } = caller;

    const { admitted, remaining, retryAfterMs } = quota.admit(operation.limit, account, nowMs);
    if (!admitted) {
      return refuse(
        limitRefusals[operation.limit],
        remaining,
        { retryAfterMs },
        operation,
        account,
      );
    }

    const read = readers[operation.id](target);
    if (read.kind === "refused") return refuse(read, remaining, {}, operation, account);

    const foreign = authorize(read.input, account);
    if (foreign !== undefined) return refuse(foreign, remaining, {}, operation, account);

    // The reader of an operation gives the input of that operation.
    const operate = operators[operation.id] as (...args: OperateArguments) => Outcome;
    const outcome = operate(read.input, account, { nowMs, today: dayOf(nowMs) });
    if (outcome.kind === "refused") return refuse(outcome, remaining, {}, operation, account);
    const response = respond.success(outcome, remaining);
    return { response, reason: outcome.note, operation, account };
  }

  function refuse(
    { rejection }: Refused,
    remaining: number,
    extra: RefusalExtra,
    operation?: Operation,
    account?: Account,
  ): Answer {
    const response = respond.refusal(rejection, remaining, extra);
    return { response, reason: rejection.code, operation, account };
  }
}

/** A response, and what the journal says about it. */
interface Answer {
  readonly response: ApiResponse;
  readonly reason: string;
  readonly operation: Operation | undefined;
  readonly account: Account | undefined;
}

type OperateArguments = [input: Input<OperationId>, account: Account, moment: Moment];

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

const limitRefusals = {
  recording: refused({
    code: "rate_limited",
    detail: "More than 10,000 impression and click requests of this publisher in a minute.",
  }),
  reporting: refused({
    code: "rate_limited",
    detail: "More than 60 stats and reporting requests with this API key in a minute.",
  }),
} satisfies Record<LimitClass, Refused>;

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
