/** What an audit reports of a world, and that it detects records that were tampered with. */

import { describe, expect, test } from "vitest";
import type { Verdict } from "../../src/faults/verdict.ts";
import type { Simulator } from "../../src/index.ts";
import { type Snapshot, snapshotDigest } from "../../src/world/accounts/snapshot.ts";
import { impressionIdIn } from "../sender.ts";
import { ask, worldsOf } from "../worlds.ts";
import { type Recording, recordingOf } from "./recording.ts";

const counts = {
  ...{ attempts: 0, answered: 0, injected: 0, lost: 0, dropped: 0, copies: 0, applied: 0 },
  ...{ duplicatesSuppressed: 0, refused: 0, unseen: 0 },
};
const nothing = { ...counts, creditedSeenInr: 0, creditedUnseenInr: 0, creditedRecordedInr: 0 };
const nothings = { ...nothing, impressions: nothing, clicks: nothing };

/** Two impressions, a click and the same click again. */
function record({ show, click }: Recording): void {
  const first = impressionIdIn(show("a"));
  show("b", { session: "s" });
  click(first);
  click(first);
}

test("an audit of a fresh world has no discrepancy and no publisher", () => {
  expect(JSON.parse(JSON.stringify(recordingOf().sim.audit()))).toEqual({
    at: "2026-01-15T00:00:00.000Z",
    balanced: true,
    discrepancies: [],
    total: nothings,
    publishers: [],
    withoutKey: nothings,
  });
});

const lost = { lost: 1, applied: 1, unseen: 1 };
const arrived = { answered: 1, applied: 1 };

test.each<[Verdict, Partial<typeof counts>]>([
  [{ kind: "delay", delay: 1 }, arrived],
  [{ kind: "drip", bytesPerSecond: 1 }, arrived],
  [{ kind: "reorder" }, arrived],
  [{ kind: "truncate", share: 1 }, arrived],
  [{ kind: "truncate", atByte: 5 }, lost],
  [{ kind: "garbage" }, lost],
  [{ kind: "lose-response" }, lost],
  [{ kind: "respond", status: 503, applied: true }, lost],
  [{ kind: "respond", status: 503 }, { injected: 1 }],
  [{ kind: "drop" }, { dropped: 1 }],
  [{ kind: "timeout" }, { dropped: 1 }],
  [{ kind: "duplicate" }, { ...arrived, copies: 1, duplicatesSuppressed: 1 }],
  [
    { kind: "duplicate", answer: "second" },
    { ...arrived, copies: 1, duplicatesSuppressed: 1, unseen: 1 },
  ],
])("an impression under %j is counted", (verdict, counted) => {
  const { sim, show } = recordingOf({ faults: [{ verdict }] });
  show("ad", { session: "s" });
  const { balanced, total, publishers } = sim.audit();
  expect(balanced).toBe(true);
  expect(total).toMatchObject({ ...counts, attempts: 1, ...counted });
  expect(total.clicks).toEqual(nothing);
  expect(publishers).toMatchObject([{ ...counted, impressions: counted }]);
  expect(total.creditedSeenInr + total.creditedUnseenInr).toBe(total.creditedRecordedInr);
  expect(total.creditedUnseenInr > 0).toBe(counted.unseen === 1);
});

test("the limit's refusal counts as refused, and as lost if it doesn't arrive", () => {
  const { sim, show } = recordingOf({ journalEntries: 0 });
  for (let sent = 0; sent < 10_000; sent += 1) show("ad");
  sim.faults.add({ verdict: { kind: "lose-response" } });
  show("ad");
  expect(sim.audit().total).toMatchObject({ answered: 10_000, lost: 1, refused: 1, unseen: 0 });
});

test("clicks are counted apart, and revenue includes the history: it is paid or pending", () => {
  const recording = recordingOf({ profile: "typical" });
  record(recording);
  const { total, publishers } = recording.sim.audit();
  expect(total).toMatchObject({ attempts: 4, applied: 3, duplicatesSuppressed: 1 });
  expect(total.impressions).toMatchObject({ attempts: 2, applied: 2, duplicatesSuppressed: 0 });
  expect(total.clicks).toMatchObject({ attempts: 2, applied: 1, duplicatesSuppressed: 1 });
  const { revenueInr = 0, paidInr = 0, pendingInr = 0 } = publishers[0]?.amounts ?? {};
  expect(revenueInr).toBeCloseTo(paidInr + pendingInr, 6);
  expect(paidInr).toBeGreaterThan(0);
});

test("requests without a valid key are counted apart, and those that don't record aren't", () => {
  const { sim } = recordingOf({ faults: [{ match: { nth: 2 }, verdict: { kind: "drop" } }] });
  const headers = { authorization: `Bearer ${sim.publishers.at(0).apiKey}` };
  const body = { impression_id: "x" };
  sim.handle({ method: "POST", path: "/v1/click", body });
  sim.handle({ method: "POST", path: "/v1/click", headers: { authorization: "Bearer x" }, body });
  sim.handle({ method: "HEAD", path: "/v1/impression", headers });
  sim.handle({ method: "GET", path: "/v1/publisher/stats", headers });
  const { withoutKey, total, publishers, balanced } = sim.audit();
  expect([balanced, publishers]).toEqual([true, []]);
  expect(withoutKey.clicks).toMatchObject({ attempts: 2, answered: 1, refused: 1, dropped: 1 });
  expect(total).toEqual(withoutKey);
});

test("an audit changes nothing, is kept by forks, snapshots and changed assumptions, and starts again with a reset", () => {
  const recording = recordingOf({ faults: [{ verdict: { kind: "lose-response" } }] });
  const { sim, show } = recording;
  record(recording);
  const before = JSON.stringify(sim.snapshot());
  const { total } = sim.audit();
  expect(JSON.stringify(sim.snapshot())).toBe(before);
  expect(sim.fork().audit().total).toEqual(total);
  const copy = recordingOf().sim;
  copy.restore(JSON.parse(before));
  expect(copy.audit().total).toEqual(total);
  sim.assume({ "click.repeat": "count", "dedup.window": "forever" });
  expect(sim.audit().total).toEqual(total);
  show("other");
  expect(sim.audit().total.lost).toBe(total.lost + 1);
  sim.reset();
  expect(sim.audit().total.attempts).toBe(0);
});

test("the control API returns the same, without keys", () => {
  const worlds = worldsOf();
  const world = worlds.get("default");
  const headers = { authorization: `Bearer ${world.publishers.at(0).apiKey}` };
  worlds.handle({ method: "POST", path: "/v1/impression", headers });
  const { body } = ask(worlds, "GET", "/_sim/audit");
  expect(body).toBe(JSON.stringify(world.audit()));
  expect(body).not.toContain("key_");
  expect(JSON.parse(body).publishers[0].refused).toBe(1);
});

describe("a client that leaves before its response was sent", () => {
  test.each<[Verdict, Partial<typeof counts>]>([
    [{ kind: "delay", delay: 10 }, lost],
    [{ kind: "respond", status: 503, delay: 10 }, { dropped: 1 }],
    [{ kind: "drop", delay: 10 }, { dropped: 1 }],
    [{ kind: "respond", status: 503, applied: true, delay: 10 }, lost],
    [
      { kind: "duplicate", delay: 10 },
      { ...lost, copies: 1, duplicatesSuppressed: 1 },
    ],
  ])("under %j changes the outcome once, however often an adapter reports it", (verdict, then) => {
    const { sim, show } = recordingOf({ faults: [{ verdict }] });
    const { delivery } = show("ad", { session: "s" });
    const fork = sim.fork();
    const before = fork.audit().total;
    delivery?.undelivered();
    delivery?.undelivered();
    expect(sim.audit()).toMatchObject({
      balanced: true,
      total: { ...counts, attempts: 1, ...then },
    });
    expect(fork.audit().total).toEqual(before);
  });

  test("is journalled with the answer as the service gave it, under explain too", () => {
    const faults = [{ verdict: { kind: "delay", delay: 9 } }] as const;
    const { sim, show } = recordingOf({ explain: true, faults: [...faults] });
    const given = show("a");
    expect(given.headers["x-adsim-fault"]).toBe("rule-1");
    given.delivery?.undelivered();
    const { fault, response } = sim.journal.entries()[0] ?? {};
    expect(response).toEqual({ status: 0, headers: {}, body: "" });
    expect(fault).toMatchObject({ received: "nothing", lost: { status: 200, body: given.body } });
    expect(fault?.lost?.headers).not.toHaveProperty("x-adsim-fault");
  });

  test.each<[string, (sim: Simulator) => void, number]>([
    ["is counted after a change", (sim) => void sim.assume({ "click.repeat": "count" }), 1],
    ["isn't counted after a reset: its world is gone", (sim) => sim.reset(), 0],
    ["isn't counted after a restore: its world is gone", (sim) => sim.restore(sim.snapshot()), 0],
  ])("%s", (_, meanwhile, lostAnswers) => {
    const { sim, show } = recordingOf({ faults: [{ verdict: { kind: "delay", delay: 10 } }] });
    const { delivery } = show("ad");
    meanwhile(sim);
    delivery?.undelivered();
    expect(sim.audit()).toMatchObject({ balanced: true, total: { lost: lostAnswers } });
  });
});

test("a rule opens no account, and doesn't take a rotated key for its publisher's", () => {
  const { sim, ids, show } = recordingOf({ faults: [{ verdict: { kind: "drop" } }] });
  const { id, apiKey } = sim.publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}` };
  sim.handle({ method: "GET", path: "/v1/publisher/stats", headers });
  expect(sim.snapshot().accounts).toEqual([]);
  show("a");
  sim.publishers.rotateKey(id);
  sim.handle({ method: "POST", path: "/v1/impression", headers });
  const { publishers, withoutKey } = sim.audit();
  expect([publishers[0]?.dropped, withoutKey.dropped]).toEqual([1, 1]);
  expect(sim.journal.entries().map(({ publisher }) => publisher)).toEqual([
    ids[0],
    ids[0],
    undefined,
  ]);
});

type Account = Snapshot["accounts"][number];

describe("figures that must be equal are compared", () => {
  test.each<[told: string, tamper: (account: Account) => unknown]>([
    [
      "impressions applied, and on record: 3 and 2",
      ({ tally: of }) => (of.impression.applied += 1),
    ],
    [
      "clicks applied, and in the daily totals: 0 and 1",
      ({ tally: of }) => (of.click.applied -= 1),
    ],
    [
      "micro-INR for impressions in answers, and on record: ",
      ({ tally }) => (tally.impression.seenMicros += 1),
    ],
    [
      "micro-INR in answers, and in the daily totals: ",
      ({ book }) => (book.days[0] ?? []).map((day) => (day.micros += 1)),
    ],
    [
      " on record, and in the daily totals: 1 and 2",
      ({ book }) => Object.assign(book, { surface: btoa("\u0000\u0001") }),
    ],
  ])("%s", (told, tamper) => {
    const recording = recordingOf();
    record(recording);
    const edited = JSON.parse(JSON.stringify(recording.sim.snapshot()));
    tamper(edited.accounts[0]);
    recording.sim.restore({ ...edited, digest: snapshotDigest(edited) });
    const { balanced, discrepancies } = recording.sim.audit();
    expect(balanced).toBe(false);
    expect(discrepancies.join("; ")).toContain(told);
    const assert = recording.sim.audit().assertNothingLostOrDoubled;
    expect(() => assert({ impressions: 2, clicks: 1 })).toThrow("The audit doesn't balance.");
  });
});
