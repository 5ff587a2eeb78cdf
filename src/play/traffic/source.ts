/** Produces the traffic of an order request by request: the scheduled arrivals, and the clicks that follow answers. */

import { assert } from "../../base/assert.ts";
import { durationMs } from "../../base/duration.ts";
import { InputError } from "../../base/input.ts";
import { jsonIn, memberOf } from "../../base/parse-json.ts";
import { deriveKey, drawBetween, drawFraction, type Key } from "../../base/random.ts";
import type { ClientExchange, Outgoing } from "../../invariants/client-exchange.ts";
import { buildRequest } from "../../spec/build-request.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import { type OperationId, operations } from "../../spec/operations.ts";
import type { Credentials } from "../../world/accounts/account.ts";
import { arrivalTimes } from "./arrivals.ts";
import type { Mix, Traffic } from "./traffic.ts";

/** Traffic with its resolved publishers. */
export interface TrafficOrder {
  readonly traffic: Traffic;
  readonly members: readonly Credentials[];
  /** When it begins, in milliseconds since 1970 on the target's clock. Daily curves need it: they follow the hours of UTC. */
  readonly startMs: number;
  /** Seed of its random draws. */
  readonly seed: string;
  /** Number of the traffic step in the run, from 0. It makes draws and sessions differ between steps. */
  readonly number: number;
  /** A part of every session id, so that runs differ. @default the seed alone decides */
  readonly runId?: string | undefined;
  /** Called with every exchange, in the order in which they end. */
  observe(exchange: ClientExchange): void;
}

/** How well a schedule was kept. In virtual time both counts are 0. */
export interface Punctuality {
  /** Requests sent more than 10 ms after they were due. */
  readonly late: number;
  /** Requests never sent, because too many were waiting for a connection. */
  readonly dropped: number;
}

/** The part of an exchange that decides whether a click follows. */
export type AnswerOutcome = Pick<ClientExchange, "outcome" | "status" | "text">;

/** A request of the traffic. */
export interface Arrival extends Outgoing {
  /** When it is due, in whole milliseconds from the traffic's beginning. */
  readonly dueMs: number;
  readonly operation: OperationId;
  /** Call this with its answer: a click may follow. */
  answered(answer: AnswerOutcome): void;
}

/** @throws InputError if impressions are asked for and a publisher has no surface. */
export function createTrafficSource(order: TrafficOrder) {
  const { traffic, startMs } = order;
  const key = (use: string): Key => deriveKey(order.seed, "traffic", order.number, use);
  const timeoutMs = timeoutMsOf(traffic);
  const times = arrivalTimes(traffic, startMs, key("arrivals"));
  const factories = requestFactoriesOf(order, key);
  const operationOf = createChoice(sharesOf(traffic.mix), key("operations"));
  const [memberKey, clickKey] = [key("publishers"), key("clicks")];
  const { rate: clickedShare = 0, after = 0 } = traffic.clicks ?? {};
  const afterMs = durationMs(after);
  /** Due, in order. */
  const clicks: Arrival[] = [];
  let index = 0;
  let arrivalMs = nextTime();

  function nextTime(): number {
    return times.next().value ?? Number.POSITIVE_INFINITY;
  }
  function nextArrival(): Arrival {
    const dueMs = arrivalMs;
    const operation = operationOf(index);
    const factory = factories[drawBetween(memberKey, index, 0, factories.length - 1)];
    assert(factory !== undefined, "Traffic without a publisher.");
    const isImpression = operation === "impression";
    const request = isImpression ? factory.impression(index) : factory.reads[operation];
    // Drawn by the arrival's index, so that clicks don't depend on when answers come.
    const isClicked = isImpression && drawFraction(clickKey, index) < clickedShare;
    const answered = isClicked
      ? (answer: AnswerOutcome) => click(factory, dueMs + afterMs, answer)
      : noClick;
    index += 1;
    arrivalMs = nextTime();
    return { dueMs, operation, request, timeoutMs, answered };
  }
  function click(factory: RequestFactory, dueMs: number, answer: AnswerOutcome): void {
    const id = impressionIdIn(answer);
    if (id === undefined) return;
    const request = factory.click(id);
    // Answers come nearly in the order of the requests, so the place is near the end.
    const place = clicks.findLastIndex((one) => one.dueMs <= dueMs) + 1;
    clicks.splice(place, 0, { dueMs, operation: "click", request, timeoutMs, answered: noClick });
  }
  const clickMs = (): number => clicks[0]?.dueMs ?? Number.POSITIVE_INFINITY;

  return {
    /**
     * The next request in order of time. Undefined if there are no more arrivals, nor clicks on answers so far. A click that
     * becomes known after it was due comes next and keeps its due time.
     */
    next: (): Arrival | undefined => (clickMs() <= arrivalMs ? clicks.shift() : nextArrival()),
    /** When the next request is due, without taking it. `Infinity` if there is none. */
    nextDueMs: (): number => Math.min(clickMs(), arrivalMs),
  };
}

function noClick(): void {}

function impressionIdIn({ outcome, status, text }: AnswerOutcome): string | undefined {
  if (outcome !== "answered" || status !== 200) return undefined;
  const id = memberOf(jsonIn(text), "impression_id");
  return typeof id === "string" ? id : undefined;
}

function requestFactoriesOf(
  { traffic, members, seed, number, runId }: TrafficOrder,
  key: (use: string) => Key,
): readonly RequestFactory[] {
  if (sendsImpressions(traffic) && members.some((member) => member.surfaces.length === 0)) {
    throw new InputError("publishers", "must have surfaces: impressions need one");
  }
  // They differ between seeds, between the traffic steps of a run, and between runs that have an id.
  const ofSeed = (deriveKey(seed, "sessions").a >>> 0).toString(36);
  const ofStep = `${runId === undefined ? "" : `${runId}-`}${ofSeed}-${number}`;
  const sessions = traffic.sessions === false ? undefined : ofStep;
  return members.map((member) => createRequestFactory(member, traffic, sessions, key));
}

/** How long the client waits for each answer. */
export function timeoutMsOf({ timeout = "10s" }: Traffic): number {
  return durationMs(timeout);
}

export function sendsImpressions({ mix }: Traffic): boolean {
  return sharesOf(mix).some(([operation]) => operation === "impression");
}

const arrivalOperations = ["impression", "stats", "surfaces", "payouts"] as const;
type Shares = readonly (readonly [operation: (typeof arrivalOperations)[number], share: number])[];

/** The shares above 0, in a fixed order, so that the order in the scenario doesn't matter. */
export function sharesOf(mix: Mix = { impression: 1 }): Shares {
  const sum = arrivalOperations.reduce((so, operation) => so + (mix[operation] ?? 0), 0);
  return arrivalOperations
    .map((operation) => [operation, (mix[operation] ?? 0) / sum] as const)
    .filter(([, share]) => share > 0);
}

function createChoice(shares: Shares, key: Key): (index: number) => Shares[number][0] {
  return (index) => {
    let left = drawFraction(key, index);
    const drawn = shares.find(([, share]) => {
      left -= share;
      return left < 0;
    });
    return drawn?.[0] ?? "impression";
  };
}

type RequestFactory = ReturnType<typeof createRequestFactory>;

/** How many different ads impressions show: ad-1, ad-2 and so on. */
export const ADS = 20;
/** One of this many last impressions is repeated. */
const RECENT = 100;

/** `sessions`: what session ids begin with; undefined for impressions without them. `key`: of the draws for a use. */
function createRequestFactory(
  { id, apiKey, surfaces: all }: Credentials,
  { surfaces: used, repeatedSessions: repeated = 0 }: Traffic,
  sessions: string | undefined,
  key: (use: string) => Key,
) {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const surfaces = all.slice(0, used);
  const recent: ApiRequest["body"][] = [];
  const placementKey = key("placements");
  const [repeatsKey, repeatedKey] = [key("repeats"), key("repeated")];
  const read = (operation: OperationId): ApiRequest =>
    buildRequest(operation, { publisher_id: id }, { key: apiKey });

  function post(operation: OperationId, body: ApiRequest["body"]): ApiRequest {
    return { method: "POST", path: operations[operation].path, headers, body };
  }
  function newBody(index: number): ApiRequest["body"] {
    const placement = drawBetween(placementKey, index, 0, surfaces.length * ADS - 1);
    const surface = surfaces[Math.floor(placement / ADS)]?.id ?? "";
    const shown = { publisher_id: id, surface, ad_id: `ad-${(placement % ADS) + 1}` };
    return sessions === undefined ? shown : { ...shown, session_id: `${sessions}-${index}` };
  }
  return {
    /** `index`: the arrival's number, which decides the random draws. Call it in order: it may repeat earlier ones. */
    impression(index: number): ApiRequest {
      if (repeated === 0) return post("impression", newBody(index));
      const isRepeated = recent.length > 0 && drawFraction(repeatsKey, index) < repeated;
      const body = isRepeated
        ? recent.at(-drawBetween(repeatedKey, index, 1, recent.length))
        : newBody(index);
      if (recent.push(body) > RECENT) recent.shift();
      return post("impression", body);
    },
    click: (impressionId: string): ApiRequest => post("click", { impression_id: impressionId }),
    reads: { stats: read("stats"), surfaces: read("surfaces"), payouts: read("payouts") },
  };
}
