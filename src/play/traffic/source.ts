/** Produces traffic request by request: the scheduled arrivals, and the clicks that follow answers. */

import { assert } from "../../base/assert.ts";
import { durationMs } from "../../base/duration.ts";
import { InputError } from "../../base/input.ts";
import { deriveKey, drawBetween, drawFraction, type Key } from "../../base/random.ts";
import type { ClientExchange, Outgoing } from "../../invariants/client-exchange.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import type { OperationId } from "../../spec/operations.ts";
import { createSchedule } from "./arrivals.ts";
import { createClicks } from "./clicks.ts";
import type { TrafficOrder } from "./order.ts";
import { createRequestFactory, type RequestFactory } from "./request-factory.ts";
import type { Mix, Traffic } from "./traffic.ts";

/** A request of the traffic. The object is reused for the next one, so don't keep it. */
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
  const { traffic, members, startMs } = order;
  const key = (use: string): Key => deriveKey(order.seed, "traffic", order.number, use);
  const forMs = durationMs(traffic.for);
  const timeoutMs = timeoutMsOf(traffic);
  const schedule = createSchedule({
    arrivals: traffic.arrivals,
    forMs,
    startMs,
    key: key("arrivals"),
  });
  const factories = requestFactoriesOf(order, key);
  const operationOf = createChoice(weightsOf(traffic.mix), key("operations"));
  const memberKey = key("publishers");
  const clickKey = key("clicks");
  const clickedShare = traffic.clicks?.rate ?? 0;
  const clicks = createClicks(durationMs(traffic.clicks?.after ?? 0));
  let handedOut = 0;
  let index = 0;
  let arrivalMs = schedule();
  let arrival: { -readonly [Part in keyof Arrival]: Arrival[Part] } | undefined;

  function handOut(dueMs: number, operation: OperationId, request: ApiRequest): Arrival {
    if (arrival === undefined) {
      arrival = { number: handedOut, dueMs, operation, request, timeoutMs };
    } else {
      arrival.number = handedOut;
      arrival.dueMs = dueMs;
      arrival.operation = operation;
      arrival.request = request;
    }
    handedOut += 1;
    return arrival;
  }

  function senderOf(at: number): number {
    return members.length === 1 ? 0 : drawBetween(memberKey, at, 0, members.length - 1);
  }

  /** The request of the arrival at `index`. Call it in order, since impressions may repeat an earlier one. */
  function requestFor(operation: ArrivalOperation, by: number): ApiRequest {
    const factory = requestFactoryAt(factories, by);
    return operation === "impression" ? factory.impression(index) : factory.reads[operation];
  }

  function nextArrival(dueMs: number): Arrival {
    const operation = operationOf(index);
    const by = senderOf(index);
    const request = requestFor(operation, by);
    // Drawn by the arrival's index, so that clicks don't depend on when answers come.
    const isClicked = clickedShare > 0 && drawFraction(clickKey, index) < clickedShare;
    if (isClicked && operation === "impression") clicks.expect(handedOut, { dueMs, by });
    index += 1;
    arrivalMs = schedule();
    return handOut(dueMs, operation, request);
  }

  return {
    next() {
      const dueMs = clicks.nextMs();
      if (dueMs > arrivalMs) return nextArrival(arrivalMs);
      const click = clicks.take();
      if (click === undefined) return undefined;
      return handOut(
        dueMs,
        "click",
        requestFactoryAt(factories, click.by).click(click.impressionId),
      );
    },
    nextDueMs: () => Math.min(clicks.nextMs(), arrivalMs),
    answered(number, answer) {
      const isWhole = answer?.outcome === "answered" && answer.status === 200;
      clicks.answered(number, isWhole ? answer.text : undefined);
    },
  };
}

function requestFactoriesOf(
  { traffic, members, seed, number, runId }: TrafficOrder,
  key: KeyOf,
): readonly RequestFactory[] {
  if (members.length === 0) throw new InputError("publishers", "must name at least one");
  const { surfaces, repeatedSessions: repeated = 0 } = traffic;
  const lacking = members.find((member) => member.surfaces.length === 0);
  if (sendsImpressions(traffic) && lacking !== undefined) {
    throw new InputError("publishers", "must have surfaces: impressions need one");
  }
  const sessions = traffic.sessions === false ? undefined : sessionsOf(seed, number, runId);
  const keys = {
    placement: key("placements"),
    isRepeated: key("repeats"),
    repeated: key("repeated"),
  };
  return members.map((member) =>
    createRequestFactory({ member, surfaces, sessions, repeated, keys }),
  );
}

/**
 * The prefix of session ids, which differs between seeds and between the traffic steps of a run. It is short enough that
 * V8 builds ids of up to seven digits as flat strings (at most 12 characters) instead of concatenating lazily.
 */
function sessionsOf(seed: string, number: number, runId: string | undefined): string {
  const place = (deriveKey(seed, "sessions").a >>> 0) + number;
  const prefix = (place % SESSION_PREFIXES).toString(36).padStart(5, "0");
  return runId === undefined ? prefix : `${runId}-${prefix}-`;
}

/** 36 to the power of 5: the number of prefixes of five base-36 digits. */
const SESSION_PREFIXES = 60_466_176;

/** How long the client waits for each answer. */
export function timeoutMsOf({ timeout = TIMEOUT }: Traffic): number {
  return durationMs(timeout);
}

export function sendsImpressions({ mix }: Traffic): boolean {
  return weightsOf(mix).some(([operation]) => operation === "impression");
}

type KeyOf = (use: string) => Key;

function requestFactoryAt(factories: readonly RequestFactory[], place: number): RequestFactory {
  const factory = factories[place];
  assert(factory !== undefined, "Traffic without a publisher.");
  return factory;
}

export type ArrivalOperation = Exclude<OperationId, "click">;
type Weights = readonly (readonly [operation: ArrivalOperation, weight: number])[];

const arrivalOperations = [
  "impression",
  "stats",
  "surfaces",
  "payouts",
] as const satisfies ArrivalOperation[];

/** The weights above 0, in a fixed order, so that the order in the scenario doesn't matter. */
export function weightsOf(mix: Mix = { impression: 1 }): Weights {
  const weights = arrivalOperations.map((operation) => [operation, mix[operation] ?? 0] as const);
  return weights.filter(([, weight]) => weight > 0);
}

function createChoice(weights: Weights, key: Key): (index: number) => ArrivalOperation {
  const [only] = weights;
  assert(only !== undefined, "A mix without operations.");
  if (weights.length === 1) return () => only[0];
  let sum = 0;
  const upTo = weights.map(([operation, weight]) => {
    sum += weight;
    return { operation, bound: sum };
  });
  return (index) => {
    const drawn = drawFraction(key, index) * sum;
    for (const { operation, bound } of upTo) if (drawn < bound) return operation;
    return only[0];
  };
}
