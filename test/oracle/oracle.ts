/**
 * Computes what each answer must be from the plain list of requests, under any assumptions. It shares no code with the
 * simulator: it has its own calendar and constants, and uses only arrays and loops. It can't know prices, so it learns
 * them from answers and checks that they are within their bounds.
 */

import type { ApiResponse } from "../../src/spec/messages.ts";
import type { Publisher } from "../../src/world/accounts/account.ts";
import { checkResponse, type Verdict } from "./answers.ts";
import { dayOfInstant } from "./calendar.ts";
import { type Call, operations } from "./calls.ts";
import { expectEqual } from "./check.ts";
import type { Choices } from "./choices.ts";
import {
  type Expectation,
  type History,
  type OracleContext,
  refused,
  success,
} from "./expectation.ts";
import { type Account, accountOf, type Facts, factsAbout } from "./facts.ts";
import { checkIdForm } from "./ids.ts";
import { type Input, inputOf } from "./inputs.ts";
import { checkMembers, contentOf } from "./members.ts";
import { expectPayouts } from "./payouts.ts";
import { createQuotas, poolOf, poolWithoutOperation, unchargedPool } from "./quota.ts";
import { expectClick, expectImpression } from "./recording.ts";
import { expectStats } from "./stats.ts";

export interface Sent {
  readonly apiKey: string;
  readonly call: Call;
  readonly atMs: number;
  readonly response: ApiResponse;
  /** The answer to the same request in a world that doesn't round amounts; `response` itself if none are rounded. */
  readonly exact: ApiResponse;
}

export interface OracleOptions {
  readonly choices: Choices;
  readonly publishers: readonly Publisher[];
  readonly history: History;
  /** Called at interesting places. */
  readonly sometimes: (place: string) => void;
}

export interface Oracle {
  /** @throws Error that says what was expected and what came instead. */
  see(sent: Sent): void;
  add(publisher: Publisher): void;
  setKey(publisherId: string, apiKey: string): void;
  setSurface(
    publisherId: string,
    surfaceId: string,
    change: { status?: string | undefined; cpmRange?: readonly [number, number] | undefined },
  ): void;
  readonly facts: Readonly<Facts>;
  save(): unknown;
  restore(saved: unknown): void;
  dayOf(instantMs: number): string;
  /** When the wait after the last refusal by a limit ends; undefined if there was none. */
  readonly refusedUntilMs: number | undefined;
}

export function createOracle(options: OracleOptions): Oracle {
  const { choices, sometimes } = options;
  const facts = factsAbout(options.publishers);
  const context: OracleContext = { choices, facts, history: options.history, sometimes };
  const quotas = createQuotas(choices, facts);
  const judge = createJudge(context);
  const textsByContent = new Map<string, string>();
  let refusedUntilMs: number | undefined;

  const dayOf = (ms: number): string => dayOfInstant(ms, choices["date.timezone"]);

  function see({ apiKey, call, atMs, response, exact }: Sent): void {
    const verdict = verdictOn(call, apiKey, atMs);
    if (verdict.retryAfterMs !== undefined) refusedUntilMs = atMs + verdict.retryAfterMs;
    expectEqual(
      "whether the key is in the answer",
      JSON.stringify(response).includes(apiKey),
      false,
    );
    quotas.checkHeaders(response, verdict.pool, atMs);
    checkResponse(context, verdict, { call, response, exact, atMs });
    checkOneText(response);
  }

  function verdictOn(call: Call, apiKey: string, atMs: number): Verdict {
    const caller = callerOf(call, apiKey);
    const routed = routeOf(call);
    if (routed !== undefined) {
      sometimes("a refusal without a route");
      return { ...routed, pool: poolWithoutOperation(caller, choices) };
    }
    if (caller === undefined) {
      sometimes(`a refusal without a key: ${choices["auth.failure"]}`);
      return {
        expectation: refused("unauthorized"),
        pool: unchargedPool(call.operation, choices),
      };
    }
    const input = inputOf(call, choices);
    const pool = poolOf(call.operation, caller, subjectOf(call, input, caller), choices);
    if (quotas.room(pool, atMs) < 1) {
      sometimes(`a refusal by ${choices["limit.algorithm"]}`);
      const retryAfterMs = quotas.retryAfterMs(pool, atMs);
      return { expectation: refused("rate_limited"), pool, retryAfterMs };
    }
    quotas.spend(pool, atMs);
    return { expectation: judge(call, input, caller, atMs), pool };
  }

  function callerOf({ way }: Call, apiKey: string): Account | undefined {
    const { scheme } = way;
    const caller = facts.accounts.find((one) => one.apiKey === apiKey);
    if (scheme?.toLowerCase() !== "bearer") return undefined;
    if (scheme !== "Bearer") sometimes("bearer in another case");
    return caller;
  }

  /** The publisher whose recording quota pays. It may not be the caller if any key serves every publisher. */
  function subjectOf({ operation }: Call, input: Input, caller: Account): Account {
    if (input.kind === "refused" || choices["auth.key-scope"] !== "any") return caller;
    const { publisher_id, impression_id } = input.values;
    const clicked = facts.impressions.find((one) => one.id === impression_id)?.publisherId;
    const named = operation === "click" ? clicked : publisher_id;
    const subject = facts.accounts.find((one) => one.id === named) ?? caller;
    if (subject !== caller) sometimes("a key that serves another publisher");
    return subject;
  }

  /** The order of members depends only on the content, so equal content must have equal text. */
  function checkOneText({ body }: ApiResponse): void {
    if (choices["response.form"] !== "evolved" || !body.startsWith("{")) return;
    const content = contentOf(body);
    const before = textsByContent.get(content) ?? body;
    textsByContent.set(content, body);
    expectEqual("the order of members", body, before);
  }

  function account(publisherId: string): Account {
    const found = facts.accounts.find((one) => one.id === publisherId);
    if (found === undefined)
      throw new Error(`The oracle doesn't know the publisher ${publisherId}.`);
    return found;
  }

  return {
    see,
    add: (publisher) => facts.accounts.push(accountOf(publisher)),
    setKey(publisherId, apiKey) {
      const of = account(publisherId);
      of.apiKey = apiKey;
      of.keys += 1;
    },
    setSurface(publisherId, surfaceId, change) {
      const surface = account(publisherId).surfaces.find((one) => one.id === surfaceId);
      if (surface === undefined)
        throw new Error(`The oracle doesn't know the surface ${surfaceId}.`);
      surface.status = change.status ?? surface.status;
      surface.cpm = change.cpmRange ?? surface.cpm;
    },
    facts,
    save: () => structuredClone(facts),
    // `saved` comes from `save`.
    restore: (saved) => Object.assign(facts, structuredClone(saved)),
    dayOf,
    get refusedUntilMs(): number | undefined {
      return refusedUntilMs;
    },
  };
}

/** The answer to a call by its method and path alone; undefined if an operation answers. */
function routeOf({ operation, way }: Call): Omit<Verdict, "pool"> | undefined {
  if (way.elsewhere !== undefined || way.slash) return { expectation: refused("route_not_found") };
  const { method } = operations[operation];
  const methods = method === "GET" ? [method, "HEAD"] : [method];
  if (methods.includes(way.method)) return undefined;
  return { expectation: refused("method_not_allowed"), allow: methods.join(", ") };
}

/** Makes a function that gives an operation's expectation for its input. */
function createJudge(
  context: OracleContext,
): (call: Call, input: Input, caller: Account, atMs: number) => Expectation {
  const { facts, choices, sometimes } = context;
  return ({ operation }, input, caller, atMs) => {
    if (input.kind === "refused") {
      sometimes(`refused as ${input.code}`);
      return input;
    }
    const { values } = input;
    if (operation === "click") return expectClick(context, caller, values, atMs);
    const named = facts.accounts.find((one) => one.id === values.publisher_id);
    if (named === undefined) {
      sometimes("a publisher that doesn't exist");
      return refused("publisher_not_found");
    }
    if (named !== caller && choices["auth.key-scope"] !== "any") {
      sometimes("a foreign publisher");
      const masked = choices["auth.key-scope"] === "publisher-hidden";
      return refused(masked ? "publisher_not_found" : "foreign_publisher");
    }
    const today = dayOfInstant(atMs, choices["date.timezone"]);
    switch (operation) {
      case "impression":
        return expectImpression(context, named, values, atMs);
      case "stats":
        return expectStats(context, named, values, today);
      case "payouts":
        return expectPayouts(context, named, values, today);
      case "surfaces":
        return expectSurfaces(context, named);
    }
  };
}

function expectSurfaces({ choices, sometimes }: OracleContext, account: Account): Expectation {
  return success(({ body }) => {
    for (const surface of body.surfaces) {
      checkMembers(surface, ["id", "name", "status", "cpm_range"], choices);
      checkIdForm(surface.id, "surface", choices["ids.format"]);
      if (surface.status !== "active") sometimes("a surface listed that isn't active");
    }
    expectEqual(
      "surfaces",
      body.surfaces.map(
        (one: { id: string; name: string; status: string; cpm_range: readonly number[] }) => [
          one.id,
          one.name,
          one.status,
          one.cpm_range,
        ],
      ),
      account.surfaces.map(({ id, name, status, cpm }) => [id, name, status, cpm]),
    );
  });
}
