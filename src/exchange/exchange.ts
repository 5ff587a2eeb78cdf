/**
 * The path of every request, top to bottom: identify (route, authenticate) → fault rules → limit → read → scope → operate →
 * respond → count → journal. A single synchronous call, so no other request can interleave.
 */

import type { WorldJournal } from "../journal/journal.ts";
import { PREFLIGHT } from "../journal/record.ts";
import { type Rejection, saysDuplicate } from "../spec/errors.ts";
import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import type { OperationId } from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import { createCors, isPreflight } from "./cors.ts";
import { createFaultedPath } from "./faulted-path.ts";
import { createIdentify, type Identity } from "./identify.ts";
import { createLimits } from "./limits.ts";
import { createClick } from "./operations/click.ts";
import { createImpression } from "./operations/impression.ts";
import type { Operator, Outcome, Refusal } from "./operations/outcome.ts";
import { createPayouts, createStats, listSurfaces } from "./operations/reporting.ts";
import { plainRequest } from "./plain-request.ts";
import { createReader } from "./read.ts";
import { countServed, createContext, type RequestContext } from "./request-context.ts";
import { createResponder, withoutBody } from "./respond.ts";
import { createScope } from "./scope.ts";
import { createShapedBy } from "./shaped-by.ts";
import type { World } from "./world.ts";

/** The service of one world. */
export type Exchange = ReturnType<typeof createExchange>;

/** The request path of a world under its assumptions. */
export function createExchange(world: World, journal: WorldJournal) {
  const { assumptions, accounts, clock, dayOf, rules, about, meter } = world;
  const identify = createIdentify(accounts);
  const limits = createLimits(assumptions);
  const read = createReader(assumptions);
  const scope = createScope(world, read);
  // A missing one is a type error.
  const operators: { readonly [Id in OperationId]: Operator<Id> } = {
    stats: createStats(world),
    impression: createImpression(world),
    click: createClick(world),
    surfaces: listSurfaces,
    payouts: createPayouts(world),
  };
  const cors = createCors(world);
  const respond = createResponder(world, cors !== undefined);
  const shapedByOf = createShapedBy(assumptions);
  const passRules = createFaultedPath({
    world,
    journal,
    read,
    scope,
    limits,
    respond,
    cors,
    serve,
  });

  function handle(request: ApiRequest): ApiResponse {
    const beganMs = meter?.now() ?? 0;
    const plain = plainRequest(request);
    const identity = identify(plain);
    const context = createContext(plain, identity, clock.now(), about);
    // Rules apply to clients' requests. A preflight comes from the browser.
    const hasRules = !rules.isEmpty() && !isPreflight(plain.method, plain.headers);
    const faulted = hasRules ? passRules(context, identity) : undefined;
    if (faulted === undefined) serve(context, identity);
    const response = faulted ?? journal.record(context);
    meter?.count(context, response.status, meter.now() - beganMs);
    return response;
  }

  /** What the service does, before a rule may change its answer. */
  function serve(context: RequestContext, identity: Identity): void {
    const response = answerPreflight(context, identity) ?? answer(context, identity);
    context.response = context.method === "HEAD" ? withoutBody(response) : response;
    countServed(context, accounts);
  }

  function answer(context: RequestContext, identity: Identity): ApiResponse {
    const { nowMs } = context;
    if (identity.refusal !== undefined) {
      const remaining = limits.remaining(identity.operation, identity.sender, nowMs);
      return conclude(context, identity.refusal, remaining);
    }
    const { operation, sender } = identity;
    // Opened, so that its quota and its counts are state from now on.
    const caller = accounts.open(sender.ordinal) ?? sender;
    context.account = scope.quotaAccountOf(operation, context, caller);
    const admitted = limits.admit(operation, context.account, nowMs);
    if (typeof admitted !== "number") {
      context.producedBy = "limit";
      return conclude(context, admitted, 0);
    }
    const input = read(operation, context);
    if (input.kind === "refused") return conclude(context, input, admitted);
    const concerned = scope.accountOf(input.subject, caller);
    if ("kind" in concerned) return conclude(context, concerned, admitted);
    context.account = concerned;
    // The reader of an operation returns that operation's input.
    const operate = operators[operation] as Operator<OperationId>;
    const outcome = operate(input.input, concerned, { nowMs, today: dayOf(nowMs) });
    return conclude(context, outcome, admitted, input.isTolerated);
  }

  /** Notes what was done, and writes the answer. */
  function conclude(
    context: RequestContext,
    outcome: Outcome,
    remaining: number,
    isTolerated = false,
  ): ApiResponse {
    const { operation, nowMs, headers } = context;
    const forPage = cors?.answerHeaders(headers);
    const shapedBy = shapedByOf(operation, outcome, isTolerated, forPage !== undefined);
    const facts = { remaining, nowMs, forPage, shapedBy };
    context.shapedBy = shapedBy;
    if (outcome.kind === "refused") {
      context.reason = outcome.code;
      context.effect = saysDuplicate(outcome.code) ? "suppressed" : "refused";
      return respond.refusal(outcome, facts);
    }
    context.reason = outcome.reason;
    context.effect = outcome.effect;
    context.micros = outcome.micros;
    return respond.success(outcome.body, facts);
  }

  /** The answer to a preflight that allows the page's request; undefined for any other request. */
  function answerPreflight(
    context: RequestContext,
    { refusal }: Identity,
  ): ApiResponse | undefined {
    const { method, headers, nowMs } = context;
    if (refusal === undefined || !isPreflight(method, headers)) return undefined;
    // If the path is unknown, let the page send its request and read the 404.
    const forPage = cors?.preflightHeaders(headers, refusal.methods ?? ["GET", "POST"]);
    if (forPage === undefined) return undefined;
    context.reason = PREFLIGHT;
    context.shapedBy = ["http.cors"];
    const remaining = limits.remaining(undefined, undefined, nowMs);
    return respond.preflight({ remaining, nowMs, forPage, shapedBy: context.shapedBy });
  }

  return {
    handle,
    /** What is left of each limit that counts the account's requests. Spends nothing. */
    quotasLeft: (account: Account) => limits.left(account, clock.now()),
    /** Answers a message that couldn't be read as a request. It isn't recorded, and no key is read. */
    refuse(rejection: Rejection): ApiResponse {
      const nowMs = clock.now();
      const remaining = limits.remaining(undefined, undefined, nowMs);
      const refusal: Refusal = { kind: "refused", ...rejection };
      const shapedBy = shapedByOf(undefined, refusal, false, false);
      return respond.refusal(refusal, { remaining, nowMs, forPage: undefined, shapedBy });
    },
  };
}
