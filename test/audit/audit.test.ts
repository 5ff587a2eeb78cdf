/** What an audit reports of a world, and that it detects books that were tampered with. */

import { describe, expect, test } from "vitest";
import { eventLinesOf, figuresWithoutAccount } from "../../src/audit/event-line.ts";
import { createControl } from "../../src/control/control.ts";
import type { Verdict } from "../../src/faults/verdict.ts";
import type { Simulator } from "../../src/index.ts";
import { createWorlds } from "../../src/simulator/worlds.ts";
import { type Snapshot, snapshotDigest } from "../../src/world/accounts/snapshot.ts";
import { createEventTally } from "../../src/world/accounts/tally.ts";
import { fakerPerson } from "../../src/world/publishers/people.ts";
import { impressionIdIn } from "../sender.ts";
import { type Recording, recordingOf } from "./recording.ts";

const nothing = {
  attempts: 0,
  answered: 0,
  injected: 0,
  lost: 0,
  dropped: 0,
  copies: 0,
  applied: 0,
  duplicatesSuppressed: 0,
  refused: 0,
  unseen: 0,
  creditedSeenInr: 0,
  creditedUnseenInr: 0,
  creditedRecordedInr: 0,
};

const oneApplied = { ...createEventTally(), applied: 1 };

/** One impression under a rule. */
function shownUnder(verdict: Verdict, assumptions = {}): Recording {
  const recording = recordingOf({ assumptions, faults: [{ verdict }] });
  recording.show("ad", { session: "s" });
  return recording;
}

describe("an audit", () => {
  test("of a fresh world has no discrepancy and no publisher", () => {
    const { sim } = recordingOf();
    expect(JSON.parse(JSON.stringify(sim.audit()))).toEqual({
      at: "2026-01-15T00:00:00.000Z",
      balanced: true,
      discrepancies: [],
      total: { ...nothing, impressions: nothing, clicks: nothing },
      publishers: [],
      withoutKey: { ...nothing, impressions: nothing, clicks: nothing },
    });
  });

  test.each<[Verdict, Partial<typeof nothing>]>([
    [
      { kind: "delay", delay: 1 },
      { answered: 1, applied: 1 },
    ],
    [{ kind: "respond", status: 503 }, { injected: 1 }],
    [
      { kind: "respond", status: 503, applied: true },
      { lost: 1, applied: 1, unseen: 1 },
    ],
    [{ kind: "drop" }, { dropped: 1 }],
    [{ kind: "lose-response" }, { lost: 1, applied: 1, unseen: 1 }],
    [{ kind: "timeout" }, { dropped: 1 }],
    [{ kind: "reset" }, { dropped: 1 }],
    [{ kind: "empty" }, { dropped: 1 }],
    [
      { kind: "truncate", atByte: 5 },
      { lost: 1, applied: 1, unseen: 1 },
    ],
    [
      { kind: "truncate", share: 1 },
      { answered: 1, applied: 1 },
    ],
    [{ kind: "garbage" }, { lost: 1, applied: 1, unseen: 1 }],
    [
      { kind: "garbage", as: "response" },
      { lost: 1, applied: 1, unseen: 1 },
    ],
    [
      { kind: "drip", bytesPerSecond: 1 },
      { answered: 1, applied: 1 },
    ],
    [{ kind: "duplicate" }, { answered: 1, copies: 1, applied: 1, duplicatesSuppressed: 1 }],
    [
      { kind: "duplicate", answer: "second" },
      { answered: 1, copies: 1, applied: 1, duplicatesSuppressed: 1, unseen: 1 },
    ],
    [{ kind: "reorder" }, { answered: 1, applied: 1 }],
  ])("counts the outcome of an impression under %j", (verdict, counts) => {
    const { sim } = shownUnder(verdict);
    const { balanced, total, publishers } = sim.audit();
    expect(balanced).toBe(true);
    expect(total).toMatchObject({ ...nothingCounted, attempts: 1, ...counts });
    expect(total.clicks).toEqual(nothing);
    expect(publishers).toMatchObject([{ ...counts, impressions: counts }]);
    expect(total.creditedSeenInr + total.creditedUnseenInr).toBe(total.creditedRecordedInr);
    expect(total.creditedUnseenInr > 0).toBe(counts.unseen === 1);
  });

  test("has the ledger's revenue to the micro, history included", () => {
    const recording = recordingOf({ profile: "typical" });
    const { revenue } = recordedOn(recording);
    const [one] = recording.sim.audit().publishers;
    expect(one?.creditedRecordedInr).toBeCloseTo(revenue, 9);
    const { revenueInr = 0, paidInr = 0, pendingInr = 0 } = one?.books ?? {};
    expect(Math.round(revenueInr * 1e6)).toBe(Math.round((paidInr + pendingInr) * 1e6));
    expect(paidInr).toBeGreaterThan(0);
  });

  test("counts clicks separately from impressions", () => {
    const recording = recordingOf();
    recordedOn(recording);
    const { total } = recording.sim.audit();
    expect(total.impressions).toMatchObject({ attempts: 2, applied: 2, duplicatesSuppressed: 0 });
    expect(total.clicks).toMatchObject({ attempts: 2, applied: 1, duplicatesSuppressed: 1 });
    expect(total).toMatchObject({ attempts: 4, applied: 3, duplicatesSuppressed: 1 });
  });

  test("counts requests without a valid key separately, and ignores requests that don't record", () => {
    const { sim, ids } = recordingOf({
      faults: [{ match: { nth: 2 }, verdict: { kind: "drop" } }],
    });
    const authorization = `Bearer ${sim.publishers.at(0).apiKey}`;
    const body = { impression_id: "x" };
    sim.handle({ method: "POST", path: "/v1/click", body });
    sim.handle({ method: "POST", path: "/v1/click", headers: { authorization: "Bearer x" }, body });
    sim.handle({ method: "HEAD", path: "/v1/impression", headers: { authorization } });
    sim.handle({ method: "POST", path: "/v1/impressions", headers: { authorization } });
    const query = { publisher_id: ids[0] ?? "" };
    sim.handle({ method: "GET", path: "/v1/publisher/stats", headers: { authorization }, query });
    const { withoutKey, total, publishers, balanced } = sim.audit();
    expect(balanced).toBe(true);
    expect(publishers).toEqual([]);
    expect(withoutKey.clicks).toMatchObject({ attempts: 2, answered: 1, refused: 1, dropped: 1 });
    expect(total).toEqual(withoutKey);
  });

  test("changes nothing", () => {
    const recording = recordingOf({ faults: [{ match: { every: 9 }, verdict: { kind: "drop" } }] });
    recordedOn(recording);
    const before = JSON.stringify(recording.sim.snapshot());
    recording.sim.audit();
    expect(JSON.stringify(recording.sim.snapshot())).toBe(before);
  });

  test("is kept by forks, snapshots and changed assumptions, and starts again with a reset", () => {
    const { sim, show } = shownUnder({ kind: "lose-response" });
    const { total } = sim.audit();
    expect(sim.fork().audit().total).toEqual(total);
    const copy = recordingOf().sim;
    copy.restore(JSON.parse(JSON.stringify(sim.snapshot())));
    expect(copy.audit().total).toEqual(total);
    sim.assume({ "click.repeat": "count" });
    expect(sim.audit().total).toEqual(total);
    sim.assume({ "dedup.window": "forever" });
    show("other");
    expect(sim.audit().total.lost).toBe(2);
    sim.reset();
    expect(sim.audit().total.attempts).toBe(0);
  });

  test("is also what the control API returns, as data without keys", () => {
    const worlds = createWorlds({
      options: { publishers: 3, wallClock: () => 0 },
      host: { people: () => fakerPerson },
      control: createControl(),
    });
    const world = worlds.get("default");
    const { id, apiKey, surfaces } = world.publishers.at(0);
    const headers = { authorization: `Bearer ${apiKey}` };
    const body = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad" };
    worlds.handle({ method: "POST", path: "/v1/impression", headers, body });
    const answer = worlds.handle({ method: "GET", path: "/_sim/audit" });
    expect(answer.status).toBe(200);
    expect(answer.body).not.toContain("key_");
    expect(answer.body).toBe(JSON.stringify(world.audit()));
    expect(JSON.parse(answer.body).publishers[0].applied).toBe(1);
    const wrong = worlds.handle({ method: "GET", path: "/_sim/audit", query: "publisher=x" });
    expect([wrong.status, JSON.parse(wrong.body).field]).toEqual([400, "publisher"]);
    expect(worlds.handle({ method: "POST", path: "/_sim/audit" }).status).toBe(405);
  });
});

const nothingCounted = Object.fromEntries(
  Object.entries(nothing).filter(([name]) => !name.startsWith("credited")),
);

/** Two impressions, a click and the same click again. `revenue`: what the answers credited. */
function recordedOn({ show, click }: Recording): { readonly revenue: number } {
  const first = show("a");
  const second = show("b", { session: "s" });
  const clicked = click(impressionIdIn(first));
  click(impressionIdIn(first));
  const credited = [first, second, clicked].map(
    ({ body }): number => JSON.parse(body).revenue_credited_inr,
  );
  return { revenue: credited.reduce((sum, one) => sum + one, 0) };
}

describe("a client that leaves before its response was sent", () => {
  const late: Verdict = { kind: "delay", delay: 10 };

  test("turns an answer into a lost one, once however often an adapter reports it", () => {
    const { sim, show } = recordingOf({ faults: [{ verdict: late }] });
    const { delivery } = show("ad");
    delivery?.undelivered();
    delivery?.undelivered();
    expect(sim.audit()).toMatchObject({
      balanced: true,
      total: { attempts: 1, lost: 1, answered: 0, unseen: 1, creditedSeenInr: 0 },
    });
  });

  test("turns an injected answer into a dropped request", () => {
    const verdict: Verdict = { kind: "respond", status: 503, delay: 10 };
    const { sim, show } = recordingOf({ faults: [{ verdict }] });
    show("ad").delivery?.undelivered();
    expect(sim.audit().total).toMatchObject({ attempts: 1, injected: 0, dropped: 1 });
  });

  test("doesn't change a dropped request", () => {
    const { sim, show } = recordingOf({ faults: [{ verdict: { kind: "drop", delay: 10 } }] });
    show("ad").delivery?.undelivered();
    expect(sim.audit()).toMatchObject({ balanced: true, total: { injected: 0, dropped: 1 } });
  });

  test.each<Verdict>([
    { kind: "truncate", atByte: 3, delay: 10 },
    { kind: "respond", status: 503, applied: true, delay: 10 },
    { kind: "duplicate", delay: 10 },
    { kind: "lose-response", delay: 10 },
  ])("makes one lost answer under %j, even if the rule lost it already", (verdict) => {
    const { sim, show } = recordingOf({ faults: [{ verdict }] });
    const { delivery } = show("ad", { session: "s" });
    delivery?.undelivered();
    const { balanced, total } = sim.audit();
    expect(balanced).toBe(true);
    expect(total).toMatchObject({ attempts: 1, lost: 1, answered: 0, applied: 1, unseen: 1 });
  });

  test.each<[string, (sim: Simulator) => void, number]>([
    [
      "is still counted after a change of assumptions",
      (sim) => void sim.assume({ "click.repeat": "count" }),
      1,
    ],
    ["isn't counted after a reset: its world is gone", (sim) => sim.reset(), 0],
    ["isn't counted after a restore: its world is gone", (sim) => sim.restore(sim.snapshot()), 0],
  ])("%s", (_, meanwhile, lost) => {
    const { sim, show } = recordingOf({ faults: [{ verdict: late }] });
    const { delivery } = show("ad");
    meanwhile(sim);
    delivery?.undelivered();
    expect(sim.audit()).toMatchObject({ balanced: true, total: { lost } });
  });

  test("doesn't affect a fork", () => {
    const { sim, show } = recordingOf({ faults: [{ verdict: late }] });
    const { delivery } = show("ad");
    const fork = sim.fork();
    delivery?.undelivered();
    expect(sim.audit().total).toMatchObject({ lost: 1, answered: 0 });
    expect(fork.audit().total).toMatchObject({ lost: 0, answered: 1 });
  });
});

type Account = Snapshot["accounts"][number];

describe("a book that was tampered with", () => {
  const tally = (
    change: (of: Account["tally"]["impression"]) => Partial<Account["tally"]["impression"]>,
    operation: "impression" | "click" = "impression",
  ) => {
    return (account: Account): Account => ({
      ...account,
      tally: {
        ...account.tally,
        [operation]: { ...account.tally[operation], ...change(account.tally[operation]) },
      },
    });
  };
  type Day = Account["book"]["days"][number][number];
  const days = (change: (day: Day) => Partial<Day>) => {
    return (account: Account): Account => {
      const [first = [], ...rest] = account.book.days;
      const changed = first.map((day) => ({ ...day, ...change(day) }));
      return { ...account, book: { ...account.book, days: [changed, ...rest] } };
    };
  };
  const column = (name: "micros" | "surface" | "clicked", bytes: readonly number[]) => {
    return (account: Account): Account => {
      const text = btoa(String.fromCharCode(...bytes));
      return { ...account, book: { ...account.book, [name]: text } };
    };
  };

  test.each<[string, (account: Account) => Account, RegExp]>([
    [
      "an impression too many in the tally",
      tally(({ applied }) => ({ applied: applied + 1 })),
      /impressions: 3 applied by requests, 2 in the book/,
    ],
    [
      "a click too few in the tally",
      tally(({ applied }) => ({ applied: applied - 1, seenMicros: 0 }), "click"),
      /clicks: 0 applied by requests, 1 in the daily totals/,
    ],
    [
      "a micro too many in the tally",
      tally(({ seenMicros }) => ({ seenMicros: seenMicros + 1 })),
      /credits of impressions: 0\.\d+ INR in answers, 0\.\d+ INR in the book/,
    ],
    [
      "an answer lost that wasn't given",
      tally(() => ({ lost: 9 })),
      /impression requests: 9 answers lost and 0 copies, but only 2 requests served/,
    ],
    [
      "an unseen event without a lost answer",
      tally(() => ({ unseen: 1 })),
      /impression requests: 1 events unseen, but 2 applied and 0 answers lost or to copies/,
    ],
    [
      "credits of unseen events without an event",
      tally(({ seenMicros }) => ({ seenMicros: seenMicros - 5, unseenMicros: 5 })),
      /impression requests: 0 events unseen, but 0\.000005 INR credited for them/,
    ],
    [
      "credits of seen events, all of them unseen",
      tally(({ seenMicros }) => ({
        lost: 2,
        unseen: 2,
        unseenMicros: 5,
        seenMicros: seenMicros - 5,
      })),
      /impression requests: 0 events seen, but 0\.\d+ INR credited for them/,
    ],
    [
      "a day with an impression too many",
      days(({ impressions }) => ({ impressions: impressions + 1 })),
      /impressions: 2 in the book, 3 in its daily totals/,
    ],
    [
      "a day with a click too many",
      days(({ clicks }) => ({ clicks: clicks + 1 })),
      /clicks: 1 applied by requests, 2 in the daily totals/,
    ],
    [
      "a day with a micro too many",
      days(({ micros }) => ({ micros: micros + 1 })),
      /revenue: \d+\.\d+ INR credited in answers, \d+\.\d+ INR in the daily totals/,
    ],
    [
      "an impression on another surface",
      column("surface", [0, 1]),
      /impressions on surface \S+: 1 in the book, 2 in its daily totals/,
    ],
    [
      "an impression with another credit",
      column("micros", [1, 0, 0, 0, 1, 0, 0, 0]),
      /credits of impressions: 0\.\d+ INR in answers, 0\.000002 INR in the book/,
    ],
    [
      "a click that no impression has",
      column("clicked", [0, 0]),
      /clicked impressions: 0 in the book, 1 clicks in the daily totals/,
    ],
    [
      "a click that nobody made",
      column("clicked", [1, 1]),
      /clicked impressions: 2 in the book, 1 clicks in the daily totals/,
    ],
  ])("is detected: %s", (_, tamper, told) => {
    const recording = recordingOf();
    recordedOn(recording);
    const { sim } = recording;
    const before = sim.snapshot();
    const [account, ...others] = before.accounts;
    if (account === undefined) throw new Error("Nobody recorded anything.");
    const edited = { ...before, accounts: [tamper(account), ...others] };
    sim.restore({ ...edited, digest: snapshotDigest(edited) });
    const { balanced, discrepancies } = sim.audit();
    expect(balanced).toBe(false);
    expect(discrepancies.join("; ")).toMatch(told);
  });

  test("is detected if an event has no publisher", () => {
    const { sim } = recordingOf();
    const { withoutKey, ...rest } = sim.snapshot();
    const click = { ...withoutKey.click, applied: 1 };
    const edited = { ...rest, withoutKey: { ...withoutKey, click } };
    sim.restore(inOrder({ ...edited, digest: "" }));
    expect(sim.audit().discrepancies.join("; ")).toContain(
      "without a key: 1 requests served, 0 allowed",
    );
  });
});

/** Its members in the order that the digest covers, with that digest. */
function inOrder({ accounts, withoutKey, ...rest }: Snapshot): Snapshot {
  const ordered = { ...rest, withoutKey, accounts };
  return { ...ordered, digest: snapshotDigest(ordered) };
}

test("the lines of any number of publishers add up", () => {
  // Spread as arguments, so many don't fit on the stack.
  const { impressions, ...totals } = eventLinesOf(
    Array(200_000).fill(
      figuresWithoutAccount({ impression: oneApplied, click: createEventTally() }),
    ),
  );
  expect([totals.applied, impressions.applied, totals.clicks.applied]).toEqual([
    200_000, 200_000, 0,
  ]);
});
