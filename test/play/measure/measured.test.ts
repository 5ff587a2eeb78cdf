import fc from "fast-check";
import { expect, test } from "vitest";
import type { ClientExchange } from "../../../src/invariants/client-exchange.ts";
import {
  readableCount,
  readableDuration,
  readableInr,
  readableMs,
  readableShare,
} from "../../../src/play/measure/quantities.ts";
import { createLatencies, createTally } from "../../../src/play/measure/tally.ts";
import { createTimeline, type TimelineBucket } from "../../../src/play/measure/timeline.ts";

const START = Date.UTC(2026, 0, 15);

function exchange(afterMs: number, more: Partial<ClientExchange> = {}): ClientExchange {
  const request = { method: "POST", path: "/", query: "", headers: {}, body: "" };
  return {
    ...{ operation: undefined, atMs: START + afterMs, request, outcome: "answered", status: 200 },
    ...{ headers: {}, text: '{"revenue_credited_inr":0.25}', latencyMs: 0 },
    ...more,
  } as ClientExchange;
}

test.each([
  ['{"ok":true,"click_id":"c","revenue_credited_inr":1.25}', 1.25],
  ['{\n  "impression_id" : "i",\n  "revenue_credited_inr": 0.030000\n}', 0.03],
  ['{"impression_id": "a \\"quoted\\" one", "revenue_credited_inr" : 5e-05}', 0.00005],
  ['{"impression_id":"i","revenue_credited_inr":0.30000000000000004}', 0.3],
  ['{"ok":true,"revenue_credited_inr":1e999}', 0],
  ['{"ok":false}', 0],
])("the tally reads the id and the credit of %s", (text, inr) => {
  const tally = createTally();
  tally.count(exchange(0, { text }));
  const { creditedInr, differentIds } = tally.summary();
  expect(creditedInr).toBe(inr);
  expect(differentIds).toBe(text.includes("_id") ? 1 : 0);
});

const latencyMs = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 1000 }),
  fc.integer({ min: 1, max: 3_600_000_000 }).map((microseconds) => microseconds / 1000),
);

test("percentiles are those of an exact sort, to four digits, also of latencies added together", () => {
  const lists = fc.array(latencyMs, { minLength: 1, maxLength: 400 });
  fc.assert(
    fc.property(lists, fc.nat(400), (latencies, split) => {
      const [one, other] = [createLatencies(), createLatencies()];
      expect(one.summary()).toBeUndefined();
      for (const latency of latencies.slice(0, split)) one.record(latency);
      for (const latency of latencies.slice(split)) other.record(latency);
      one.add(other);
      const found = one.summary();
      const sorted = latencies.toSorted((left, right) => left - right);
      const mean = latencies.reduce((sum, latency) => sum + latency, 0) / latencies.length;
      const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? -1;
      const expected = {
        ...{ p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), p999: at(0.999) },
        ...{ max: at(1), mean },
      };
      for (const [name, exact] of Object.entries(expected)) {
        const apart = Math.abs((found?.[name as keyof typeof found] ?? -1) - exact);
        expect(apart, name).toBeLessThanOrEqual(exact / 2000 + 0.0005);
      }
    }),
    { numRuns: 200 },
  );
});

test("the timeline counts requests in buckets of 100 ms, by their outcomes", () => {
  const timeline = createTimeline(START);
  timeline.count(exchange(0));
  timeline.count(exchange(99, { status: 429, text: "{}", latencyMs: 40 }));
  timeline.count(exchange(250, { status: 503, text: "" }));
  timeline.count(exchange(250, { outcome: "lost", status: 0, text: "" }));
  timeline.count(exchange(250, { outcome: "cut", status: 200 }));
  timeline.count(exchange(-5));
  expect(timeline.summary()).toEqual({
    bucketMs: 100,
    buckets: [
      { atMs: 0, sent: 3, ok: 2, refused: 1, failed: 0, unanswered: 0, p50: 0, p99: 40 },
      { atMs: 100, sent: 0, ok: 0, refused: 0, failed: 0, unanswered: 0, p50: 0, p99: 0 },
      { atMs: 200, sent: 3, ok: 0, refused: 0, failed: 1, unanswered: 2, p50: 0, p99: 0 },
    ],
  });
});

test("the timeline grows coarser instead of longer, and loses nothing", () => {
  const kind = fc.constantFrom<Partial<ClientExchange>>(
    {},
    { status: 404, text: "{}" },
    { status: 500, text: "{}" },
    { status: 301, text: "" },
    { outcome: "timed-out", status: 0, text: "" },
  );
  const at = fc.oneof(
    fc.integer({ min: 0, max: 30_000 }),
    fc.integer({ min: 0, max: 3_000_000_000 }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(at, kind), { minLength: 1, maxLength: 300 }), (sent) => {
      const [timeline, tally] = [createTimeline(START), createTally()];
      for (const [afterMs, more] of sent) {
        timeline.count(exchange(afterMs, { ...more, latencyMs: 12 }));
        tally.count(exchange(afterMs, more));
      }
      const { bucketMs, buckets } = timeline.summary();
      const last = Math.max(...sent.map(([afterMs]) => afterMs));
      expect(last).toBeLessThan(240 * bucketMs);
      expect(bucketMs === 100 || last >= 120 * bucketMs).toBe(true);
      const sum = (of: (bucket: TimelineBucket) => number): number =>
        buckets.reduce((so, bucket) => so + of(bucket), 0);
      const { ok, refused, failed, timedOut } = tally.summary();
      expect([sum((one) => one.ok), sum((one) => one.refused)]).toEqual([ok, refused]);
      expect([sum((one) => one.failed), sum((one) => one.unanswered)]).toEqual([failed, timedOut]);
      for (const { atMs, sent: here, p50, p99 } of buckets) {
        const inside = sent.filter(([after]) => after >= atMs && after < atMs + bucketMs);
        const latency = inside.length === 0 ? 0 : 12;
        expect([here, p50, p99]).toEqual([inside.length, latency, latency]);
      }
    }),
    { numRuns: 60 },
  );
});

test("quantities are written for people", () => {
  expect([0, 999, 11_520_000].map(readableCount)).toEqual(["0", "999", "11,520,000"]);
  expect([0, 12.3456, 999, 1500].map(readableMs)).toEqual(["0 ms", "12.346 ms", "999 ms", "1.5 s"]);
  const durations = [0, 60_000, 125_000, 10_800_000, 2_685_600_000].map(readableDuration);
  expect(durations).toEqual(["0 ms", "1 min", "2 min 5 s", "3 h", "31 d 2 h"]);
  const amounts = [0, 0.1 + 0.2, 1_000_000.000001].map(readableInr);
  expect(amounts).toEqual(["0 INR", "0.3 INR", "1,000,000.000001 INR"]);
  expect([readableShare(1, 3), readableShare(2, 2)]).toEqual(["33.333 %", "100 %"]);
});
