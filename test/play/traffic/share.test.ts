/** The shares of several workers are together what one sends: each request once, at the same time, with the same content. */

import { expect, test } from "vitest";
import type { TrafficOrder } from "../../../src/play/traffic/order.ts";
import type { Arrivals, Traffic } from "../../../src/play/traffic/traffic.ts";
import { member, orderOf, type Sent, sentBy } from "./orders.ts";

const members = [member("a"), member("b"), member("c")];

/** Sorted, without the numbers, which each worker counts by itself. The clicked impression is that of the same answer. */
function events(sent: readonly Sent[]): string[] {
  return sent.map(({ number: _, ...event }) => JSON.stringify(event)).sort();
}

function sharesOf(traffic: Traffic, of: number): Sent[][] {
  const order: TrafficOrder = orderOf(traffic, { members });
  return Array.from({ length: of }, (_, index) =>
    sentBy({ ...order, share: { worker: index + 1, of } }),
  );
}

const mix = { impression: 6, stats: 2, surfaces: 1, payouts: 1 };
const every: [string, Traffic][] = (
  [
    { kind: "constant", rate: "50/s" },
    { kind: "poisson", rate: "40/s" },
    { kind: "ramp", from: "0/s", to: "80/s", spacing: "poisson" },
    { kind: "daily", mean: "200000/h" },
    { kind: "burst", count: 33, every: "3s", within: "1s" },
    { kind: "trace", atMs: [0, 0, 5, 900, 1000, 9999] },
  ] satisfies Arrivals[]
).map((arrivals) => [arrivals.kind, { for: "10s", arrivals, mix, repeatedSessions: 0.3 }]);

test.each(every)("%s arrivals: 4 and 16 workers send what one sends", (_, traffic) => {
  const alone = events(sentBy(orderOf(traffic, { members })));
  expect(alone.length).toBeGreaterThan(5);
  for (const of of [1, 4, 16]) expect(events(sharesOf(traffic, of).flat())).toEqual(alone);
});

test("each worker has an even share of a burst", () => {
  const burst: Traffic = { for: "1s", arrivals: { kind: "burst", count: 100 } };
  expect(sharesOf(burst, 16).map(({ length }) => length)).toEqual([
    ...[7, 7, 7, 7],
    ...Array<number>(12).fill(6),
  ]);
});

test("a worker clicks on impressions of its own, and all together on those that one would click on", () => {
  const traffic: Traffic = {
    for: "20s",
    arrivals: { kind: "constant", rate: "50/s" },
    clicks: { rate: 0.2, after: "700ms" },
  };
  const clicksIn = (sent: readonly Sent[]): Sent[] =>
    sent.filter(({ operation }) => operation === "click");
  const clickedAt = (sent: readonly Sent[]): number[] =>
    clicksIn(sent)
      .map(({ dueMs }) => dueMs)
      .sort((one, other) => one - other);
  const alone = sentBy(orderOf(traffic, { members }));
  const shares = sharesOf(traffic, 4);
  expect(clickedAt(alone).length).toBeGreaterThan(150);
  expect(clickedAt(shares.flat())).toEqual(clickedAt(alone));
  for (const share of shares) {
    const shown = new Map(share.map((one) => [`imp-${one.number}`, one]));
    for (const click of clicksIn(share)) {
      const impression = shown.get(click.body.impression_id ?? "");
      expect(impression?.operation).toBe("impression");
      expect(impression?.authorization).toBe(click.authorization);
      expect(click.dueMs - (impression?.dueMs ?? 0)).toBe(700);
    }
  }
});
