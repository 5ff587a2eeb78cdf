/** What the tests of traffic share: orders with made-up members, and whole lists of what a source gives. */

import type { Member } from "../../../src/invariants/client-exchange.ts";
import { arrivalTimes } from "../../../src/play/traffic/arrivals.ts";
import {
  type AnswerOutcome,
  type Arrival,
  createTrafficSource,
  type TrafficOrder,
} from "../../../src/play/traffic/source.ts";
import type { Arrivals, Traffic } from "../../../src/play/traffic/traffic.ts";

export const START_MS = Date.parse("2026-01-15T00:00:00Z");

export function member(name: string, surfaces = 3): Member {
  return {
    id: `pub_${name}`,
    apiKey: `key_${name}`,
    joined: undefined,
    surfaces: Array.from({ length: surfaces }, (_, index) => ({
      id: `${name}-${index}`,
      name: "made up",
      status: "active",
      cpmRange: [1, 2],
    })),
  };
}

export function orderOf(traffic: Traffic, change: Partial<TrafficOrder> = {}): TrafficOrder {
  return {
    traffic,
    members: [member("a")],
    startMs: START_MS,
    seed: "test",
    number: 0,
    observe: () => {},
    ...change,
  };
}

/** A request as it came, with what its body says. */
export type Sent = ReturnType<typeof sentOf>;

/** All requests of an order, each answered at once with an impression id of its own. */
export function sentBy(order: TrafficOrder): Sent[] {
  const sent: Sent[] = [];
  for (const one of drained(createTrafficSource(order))) {
    const number = sent.length;
    sent.push(sentOf(one, number));
    one.answered(answerTo(number));
  }
  return sent;
}

/** What comes from a source until it has no more. */
export function* drained(source: ReturnType<typeof createTrafficSource>): Generator<Arrival> {
  for (let one = source.next(); one !== undefined; one = source.next()) yield one;
}

export function sentOf({ dueMs, operation, request }: Arrival, number: number) {
  const { headers, path, query, body = {} } = request;
  const members: Readonly<Record<string, string>> = JSON.parse(
    typeof body === "string" ? body : JSON.stringify(body),
  );
  const authorization = headers?.authorization ?? "";
  return { number, dueMs, operation, authorization, path, query, body: members };
}

export function answerTo(number: number): AnswerOutcome {
  return success(`{"ok":true,"impression_id":"imp-${number}","revenue_credited_inr":0.1}`);
}

export function success(text: string): AnswerOutcome {
  return { outcome: "answered", status: 200, text };
}

/** All times of an arrival process. */
export function timesOf(
  arrivals: Arrivals,
  forMs: number,
  startMs: number = START_MS,
  a = 1,
): number[] {
  return [...arrivalTimes({ for: forMs, arrivals }, startMs, { a, b: 2 })];
}
