/** Buckets in a snapshot: complete under every algorithm, and refused if they don't fit their world. */

import { describe, expect, test } from "vitest";
import {
  type ApiRequest,
  type ApiResponse,
  createSimulator,
  InputError,
  type Simulator,
  type SimulatorOptions,
  type Snapshot,
} from "../../../src/index.ts";
import type { Choice } from "../../../src/spec/assumptions/catalogue.ts";
import { snapshotDigest } from "../../../src/world/accounts/snapshot.ts";
import { algorithmNames } from "./algorithm-names.ts";

/** A copy that tests may damage. */
// biome-ignore lint/suspicious/noExplicitAny: the test writes invalid values on purpose
type Damaged = any;

function simulator(assumptions: SimulatorOptions["assumptions"]): Simulator {
  return createSimulator({ seed: "buckets", publishers: 2, assumptions });
}

function stats(sim: Simulator): ApiRequest {
  const { id, apiKey } = sim.publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}` };
  return { method: "GET", path: "/v1/publisher/stats", query: { publisher_id: id }, headers };
}

function click(sim: Simulator): ApiRequest {
  const headers = { authorization: `Bearer ${sim.publishers.at(0).apiKey}` };
  return { method: "POST", path: "/v1/click", headers, body: { impression_id: "nothing" } };
}

/** Uses up the reporting quota over 50 seconds, so that it is restored at different times under each algorithm. */
function spend(sim: Simulator): void {
  for (let sent = 0; sent < 60; sent += 1) {
    sim.clock.advance(sent === 20 ? 40_123 : 167);
    sim.handle(stats(sim));
    sim.handle(click(sim));
  }
}

function goOn(sim: Simulator): ApiResponse[] {
  return Array.from({ length: 220 }, () => {
    sim.clock.advance(300);
    sim.handle(click(sim));
    return sim.handle(stats(sim));
  });
}

const pools = ["shared", "separate"] as const;
const ways = algorithmNames.flatMap((algorithm) => pools.map((pool) => [algorithm, pool] as const));

test.each(ways)(
  "under %s and %s clicks a restored world continues as the saved one",
  (name, pool) => {
    const assumptions = { "limit.algorithm": name, "limit.recording-pool": pool } as const;
    const sim = simulator(assumptions);
    spend(sim);
    const text = JSON.stringify(sim.snapshot());
    const copy = createSimulator();
    copy.restore(JSON.parse(text));
    expect(JSON.stringify(copy.snapshot())).toBe(text);
    expect("clickBucket" in JSON.parse(text).accounts[0]).toBe(pool === "separate");
    const went = goOn(sim);
    expect(goOn(copy)).toEqual(went);
    expect(JSON.stringify(copy.snapshot())).toBe(JSON.stringify(sim.snapshot()));
    expect(new Set(went.map(({ status }) => status))).toEqual(new Set([200, 429]));
  },
);

const NOW_MS = Date.parse("2026-01-15T00:00:00Z");
const MINUTE = NOW_MS / 60_000;

/** Reporting buckets that are possible at {@link NOW_MS}, and impossible ones. */
const saved: Readonly<Record<Choice<"limit.algorithm">, { good: object[]; bad: object[] }>> = {
  "fixed-window": {
    good: [
      { window: -1, used: 0 },
      { window: MINUTE, used: 60 },
      { window: 0, used: 1 },
    ],
    bad: [
      { window: MINUTE, used: 61 },
      { window: MINUTE, used: -1 },
      { window: MINUTE + 1, used: 1 },
      { window: -1, used: 1 },
      { window: -2, used: 0 },
      { window: 0.5, used: 1 },
      { window: MINUTE, used: 1, more: 1 },
      { window: MINUTE },
    ],
  },
  "sliding-log": {
    good: [
      { sinceMs: 0, log: [] },
      { sinceMs: NOW_MS, log: [[0, 60]] },
      {
        sinceMs: NOW_MS - 59_999,
        log: [
          [0, 30],
          [59_999, 30],
        ],
      },
    ],
    bad: [
      { sinceMs: 1, log: [] },
      { sinceMs: NOW_MS - 60_000, log: [[0, 1]] },
      { sinceMs: NOW_MS + 1, log: [[0, 1]] },
      { sinceMs: NOW_MS, log: [[0, 61]] },
      { sinceMs: NOW_MS, log: [[0, 0]] },
      { sinceMs: NOW_MS, log: [[-1, 1]] },
      { sinceMs: NOW_MS - 2, log: [[1, 1]] },
      {
        sinceMs: NOW_MS,
        log: [
          [0, 1],
          [1, 1],
        ],
      },
      {
        sinceMs: NOW_MS - 5,
        log: [
          [0, 1],
          [0, 1],
        ],
      },
      {
        sinceMs: NOW_MS - 5,
        log: [
          [0, 40],
          [1, 21],
        ],
      },
      { sinceMs: NOW_MS, log: [[0, 1, 1]] },
      { sinceMs: NOW_MS, log: "" },
      { sinceMs: NOW_MS, used: 1 },
    ],
  },
  "token-bucket": {
    good: [{ fullAtMs: 0 }, { fullAtMs: NOW_MS + 60_000 }],
    bad: [
      { fullAtMs: NOW_MS + 60_001 },
      { fullAtMs: -1 },
      { fullAtMs: 0.5 },
      { fullAtMs: null },
      { window: 0, used: 0 },
    ],
  },
};

/** A snapshot with one changed account, with the digest of its new content. */
function changed(sim: Simulator, change: (account: Damaged) => void): Snapshot {
  sim.handle({ ...stats(sim), query: "" });
  const snapshot: Damaged = JSON.parse(JSON.stringify(sim.snapshot()));
  change(snapshot.accounts[0]);
  return { ...snapshot, digest: snapshotDigest(snapshot) };
}

describe.each(algorithmNames)("a snapshot of %s", (name) => {
  const assumptions = { "limit.algorithm": name };

  test.each(saved[name].good.map((bucket) => [JSON.stringify(bucket), bucket] as const))(
    "may hold the bucket %s",
    (_, bucket) => {
      const sim = simulator(assumptions);
      const snapshot = changed(sim, (account) => {
        account.reportingBucket = bucket;
      });
      sim.restore(snapshot);
      expect(sim.snapshot()).toEqual(snapshot);
    },
  );

  test.each(saved[name].bad.map((bucket) => [JSON.stringify(bucket), bucket] as const))(
    "can't hold the bucket %s",
    (_, bucket) => {
      const sim = simulator(assumptions);
      const snapshot = changed(sim, (account) => {
        account.reportingBucket = bucket;
      });
      const before = JSON.stringify(sim.snapshot());
      expect(() => sim.restore(snapshot)).toThrow(InputError);
      expect(() => sim.restore(snapshot)).toThrow(/^accounts\.0\.reportingBucket/);
      expect(JSON.stringify(sim.snapshot())).toBe(before);
    },
  );

  test("can't hold the buckets of another algorithm", () => {
    const sim = simulator(assumptions);
    for (const other of algorithmNames.filter((one) => one !== name)) {
      const [bucket] = saved[other].good;
      const snapshot = changed(sim, (account) => {
        account.recordingBucket = bucket;
      });
      expect(() => sim.restore(snapshot)).toThrow(
        /^accounts\.0\.recordingBucket must be a bucket of /,
      );
    }
  });
});

test("a snapshot has a bucket for clicks only if clicks have their own limit", () => {
  const separate = simulator({ "limit.recording-pool": "separate" });
  const without = changed(separate, (account) => {
    delete account.clickBucket;
  });
  expect(() => separate.restore(without)).toThrow(/^accounts\.0\.clickBucket is required/);
  const overfull = changed(separate, (account) => {
    account.clickBucket = { window: 0, used: 10_001 };
  });
  expect(() => separate.restore(overfull)).toThrow(
    /^accounts\.0\.clickBucket must be a bucket of /,
  );
  const shared = simulator({});
  const withOne = changed(shared, (account) => {
    // Its place in the order matters for the digest.
    const { reportingBucket, tally, book } = account;
    delete account.reportingBucket;
    delete account.tally;
    delete account.book;
    const clickBucket = { window: 0, used: 1 };
    Object.assign(account, { clickBucket, reportingBucket, tally, book });
  });
  expect(() => shared.restore(withOne)).toThrow(/^accounts\.0\.clickBucket must be left out/);
});
