/** Produces traffic request by request: the scheduled arrivals, and the clicks that follow answers. */

import { assert } from "../../base/assert.ts";
import { durationMs } from "../../base/duration.ts";
import { InputError } from "../../base/input.ts";
import { jsonIn, memberOf } from "../../base/parse-json.ts";
import { deriveKey, drawBetween, drawFraction, type Key } from "../../base/random.ts";
import type { ClientExchange, Outgoing } from "../../invariants/client-exchange.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import type { OperationId } from "../../spec/operations.ts";
import { arrivalTimes } from "./arrivals.ts";
import type { TrafficOrder } from "./order.ts";
import { createRequestFactory, type RequestFactory } from "./request-factory.ts";
import type { Mix, Traffic } from "./traffic.ts";

/** A request of the traffic. */
export interface Arrival extends Outgoing {
  /** Counts from 0. */
  readonly number: number;
  /** When it is due, in whole milliseconds from the traffic's beginning. */
  readonly dueMs: number;
  readonly operation: OperationId;
}

/** The part of an exchange that decides whether a click follows. */
export type AnswerOutcome = Pick<ClientExchange, "outcome" | "status" | "text">;

export interface TrafficSource {
  /**
   * The next request in order of time. Undefined if there are no more arrivals, nor clicks on answers so far. A click that
   * becomes known after it was due comes next and keeps its due time.
   */
  next(): Arrival | undefined;
  /** When the next request is due, without taking it. `Infinity` if {@link next} would return undefined. */
  nextDueMs(): number;
  /** Call this for each arrival, because clicks depend on it. `answer` is undefined if it was never sent. */
  answered(number: number, answer: AnswerOutcome | undefined): void;
}

const TIMEOUT = "10s";

/** @throws InputError if there is no publisher, or if impressions are asked for and a publisher has no surface. */
export function createTrafficSource(order: TrafficOrder): TrafficSource {
  const { traffic, startMs } = order;
  const key = (use: string): Key => deriveKey(order.seed, "traffic", order.number, use);
  const timeoutMs = timeoutMsOf(traffic);
  const times = arrivalTimes(traffic, startMs, key("arrivals"));
  const factories = requestFactoriesOf(order, key);
  const operationOf = createChoice(sharesOf(traffic.mix), key("operations"));
  const [memberKey, clickKey] = [key("publishers"), key("clicks")];
  const { rate: clickedShare = 0, after = 0 } = traffic.clicks ?? {};
  const afterMs = durationMs(after);
  /** Impressions that are clicked if their answers have an id. */
  const clicked = new Map<number, { readonly clickMs: number; readonly factory: RequestFactory }>();
  const clicks: { readonly dueMs: number; readonly request: ApiRequest }[] = [];
  let handedOut = 0;
  let index = 0;
  let arrivalMs = nextTime();

  function nextTime(): number {
    const { done, value } = times.next();
    return done === true ? Number.POSITIVE_INFINITY : value;
  }

  function handOut(dueMs: number, operation: OperationId, request: ApiRequest): Arrival {
    const number = handedOut;
    handedOut += 1;
    return { number, dueMs, operation, request, timeoutMs };
  }

  function nextArrival(dueMs: number): Arrival {
    const operation = operationOf(index);
    const factory = factories[drawBetween(memberKey, index, 0, factories.length - 1)];
    assert(factory !== undefined, "Traffic without a publisher.");
    const isImpression = operation === "impression";
    const request = isImpression ? factory.impression(index) : factory.reads[operation];
    // Drawn by the arrival's index, so that clicks don't depend on when answers come.
    const isClicked = isImpression && drawFraction(clickKey, index) < clickedShare;
    if (isClicked) clicked.set(handedOut, { clickMs: dueMs + afterMs, factory });
    index += 1;
    arrivalMs = nextTime();
    return handOut(dueMs, operation, request);
  }

  return {
    next() {
      const [click] = clicks;
      if (click !== undefined && click.dueMs <= arrivalMs) {
        clicks.shift();
        return handOut(click.dueMs, "click", click.request);
      }
      return arrivalMs === Number.POSITIVE_INFINITY ? undefined : nextArrival(arrivalMs);
    },
    nextDueMs: () => Math.min(clicks[0]?.dueMs ?? Number.POSITIVE_INFINITY, arrivalMs),
    answered(number, answer) {
      const impression = clicked.get(number);
      if (impression === undefined) return;
      clicked.delete(number);
      const id = impressionIdIn(answer);
      if (id === undefined) return;
      const { clickMs: dueMs, factory } = impression;
      // Answers come nearly in the order of the requests, so the place is near the end.
      const place = clicks.findLastIndex((click) => click.dueMs <= dueMs) + 1;
      clicks.splice(place, 0, { dueMs, request: factory.click(id) });
    },
  };
}

function impressionIdIn(answer: AnswerOutcome | undefined): string | undefined {
  if (answer?.outcome !== "answered" || answer.status !== 200) return undefined;
  const id = memberOf(jsonIn(answer.text), "impression_id");
  return typeof id === "string" ? id : undefined;
}

function requestFactoriesOf(
  { traffic, members, seed, number, runId }: TrafficOrder,
  key: (use: string) => Key,
): readonly RequestFactory[] {
  if (members.length === 0) throw new InputError("publishers", "must name at least one");
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
export function timeoutMsOf({ timeout = TIMEOUT }: Traffic): number {
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
    for (const [operation, share] of shares) {
      if (left < share) return operation;
      left -= share;
    }
    return shares[0]?.[0] ?? "impression";
  };
}
