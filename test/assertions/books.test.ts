import { describe, expect, test } from "vitest";
import {
  assertBalances,
  assertCredited,
  assertNothingLostOrDoubled,
  assertStats,
  matchers,
} from "../../src/assert.ts";
import { createSimulator } from "../../src/index.ts";
import { recordingOf } from "../audit/recording.ts";
import { reportWorldOf } from "../audit/report-world.ts";
import { impressionIdIn } from "../sender.ts";
import { failureOf, refusalOf } from "./thrown-errors.ts";

function credits(body: string): number {
  return JSON.parse(body).revenue_credited_inr;
}

describe("an asserted credit", () => {
  test("is compared to the micro, in total and by publisher, surface, kind and time", () => {
    const { sim, ids, show, click } = recordingOf();
    const first = show("a");
    const one = credits(first.body);
    sim.clock.advance("1s");
    const two = credits(click(impressionIdIn(first)).body);
    const three = credits(show("b", { by: 1 }).body);
    const sum = (...amounts: number[]): number =>
      Math.round(amounts.reduce((all, amount) => all + amount, 0) * 1e6) / 1e6;
    const [publisher, other] = ids;
    const surface = sim.publishers.at(0).surfaces[0]?.id;
    assertCredited(sim, sum(one, two, three));
    assertCredited(sim, sum(one, two), { publisher });
    assertCredited(sim, three, { publisher: other });
    assertCredited(sim, one, { publisher, events: "impressions" });
    assertCredited(sim, sum(one, two), { surface });
    assertCredited(sim, two, { surface, events: "clicks" });
    assertCredited(sim, sum(two, three), { since: "2026-01-15T00:00:01Z" });
    assertCredited(sim, three, { after: 2 });
    const error = failureOf(() => assertCredited(sim, sum(one, 0.000001), { surface, after: 0 }));
    expect(error.message).toMatch(
      /^Expected [\d.]+ INR credited on surface "srf_\w+", after #0: it is [\d.]+ INR, [\d.]+ INR more\.\n2 events on record:\n/,
    );
    expect(error.message).toContain(` ${sum(two, -0.000001)} INR more.`);
    expect(error).toMatchObject({ expected: sum(one, 0.000001), actual: sum(one, two) });
  });

  test("counts a duplicate's credit once, and the credit of a lost answer too", () => {
    const faults = [{ match: { nth: 2 }, verdict: { kind: "lose-response" } }] as const;
    const { sim, show } = recordingOf({
      faults,
      assumptions: { "dedup.repeat": "replay" },
    });
    const one = credits(show("a", { session: "s" }).body);
    show("b", { session: "s" });
    show("a", { session: "s" });
    const { actual } = failureOf(() => assertCredited(sim, one));
    expect(actual).toBe(sim.audit().total.creditedRecordedInr);
  });

  test("is compared exactly even if answers show whole paise", () => {
    const { sim, ids, show } = recordingOf({ assumptions: { "money.precision": "paise" } });
    show("a");
    const exact = sim.audit().total.creditedRecordedInr;
    assertCredited(sim, exact, { publisher: ids[0] });
    expect(failureOf(() => assertCredited(sim, 0.02)).message).toContain(
      "Answers show whole paise (money.precision=paise); the amount compared is exact.",
    );
    expect(failureOf(() => assertCredited(sim, 5, { after: 0 })).message).toContain(
      "this is the sum of rounded credits",
    );
  });

  test.each([
    [-1, {}, "amountInr must be an amount in INR, 0 or more."],
    [Number.NaN, {}, "amountInr must be"],
    ["1", {}, "amountInr must be an amount in INR, 0 or more."],
    [1, { events: "views" }, "events must be impressions or clicks, or left out for both."],
    [1, { publisher: "pub_x" }, "publisher names no publisher of this world."],
    [1, { ad: "a" }, "ad is not known here."],
  ])("refuses %j of %j", (amount, where, message) => {
    expect(
      refusalOf(() => assertCredited(createSimulator(), amount as number, where as object)),
    ).toContain(message);
  });
});

describe("stats", () => {
  test("are the endpoint's, from the world's first day by default, and use no quota", () => {
    const { sim, ids, show, click } = recordingOf({
      faults: [{ match: { operation: "stats" }, verdict: { kind: "drop" } }],
    });
    const [publisher = ""] = ids;
    const surface = sim.publishers.at(0).surfaces[0]?.id ?? "";
    click(impressionIdIn(show("a")));
    sim.clock.advance("2d");
    show("b");
    const { total } = sim.journal;
    const { revenueInr } = { revenueInr: sim.audit().total.creditedRecordedInr };
    assertStats(sim, { publisher, impressions: 2, clicks: 1, revenueInr });
    assertStats(sim, { publisher, period: { to: "2026-01-16" }, impressions: 1, clicks: 1 });
    assertStats(sim, { publisher, period: { from: "2026-01-17" }, impressions: 1, clicks: 0 });
    assertStats(sim, {
      publisher,
      surface,
      surfaces: { [surface]: { impressions: 2, revenueInr } },
    });
    assertStats(sim, {
      publisher: ids[1] ?? "",
      impressions: 0,
      surfaces: { srf_x: { impressions: 0 } },
    });
    expect(sim.journal.total).toBe(total);
    for (let asked = 0; asked < 100; asked += 1) assertStats(sim, { publisher, impressions: 2 });
    expect(sim.publishers.get(publisher).apiKey).toBe(sim.publishers.at(0).apiKey);
    sim.faults.clear();
    const { apiKey } = sim.publishers.at(0);
    const headers = { authorization: `Bearer ${apiKey}` };
    const path = `/v1/publisher/stats?publisher_id=${publisher}`;
    expect(sim.handle({ method: "GET", path, headers }).headers["x-ratelimit-remaining"]).toBe(
      "59",
    );
  });

  test("are available even if the quota is spent", () => {
    const { sim, publisher, stats, impression } = reportWorldOf();
    impression("s");
    for (let asked = 0; asked < 61; asked += 1) stats();
    assertStats(sim, { publisher: publisher.id, impressions: 1 });
    expect(stats().status).toBe(429);
  });

  test("that differ are listed figure by figure", () => {
    const { sim, ids, show } = recordingOf({ assumptions: { "stats.today": "next-day" } });
    show("a");
    const [publisher = ""] = ids;
    const surface = sim.publishers.at(0).surfaces[0]?.id ?? "";
    const error = failureOf(() =>
      assertStats(sim, {
        publisher,
        impressions: 1,
        clicks: 0,
        surfaces: { [surface]: { impressions: 3 } },
      }),
    );
    expect(error.message).toBe(
      `Expected other figures in the statistics of "${publisher}" from 2026-01-15 to 2026-01-15.
                                 expected  actual
  impressions                    1         0       differs
  clicks                         0         0
  ${surface} impressions  3         0       differs
By surface:
  surface            impressions  revenue
  ${surface}  0            0 INR
Note: today's events appear tomorrow (stats.today=next-day).`,
    );
    expect(error.expected).toEqual({ impressions: 1, clicks: 0, [`${surface} impressions`]: 3 });
    expect(matchers.toHaveStats(sim, { publisher, clicks: 0 }).message()).toMatch(
      /^Expected other figures in the statistics of .* than these\.\n/,
    );
  });

  test.each([
    [{ impressions: 1 }, "publisher must be the id of a publisher."],
    [{ publisher: "pub_x", impressions: 1 }, "publisher names no publisher of this world."],
    [{}, "stats must name a figure to compare: impressions, clicks, revenueInr or surfaces."],
    [{ impressions: 0.5 }, "impressions must be a whole number, 0 or more."],
    [{ revenue_inr: 1 }, "revenue_inr is not known here."],
    [{ surface: "srf_x", clicks: 1 }, "surface names no surface of this publisher."],
    [{ period: { from: "2026-02-30" }, clicks: 1 }, "period.from must be a day, YYYY-MM-DD."],
    [
      { period: { to: "2026-01-01" }, clicks: 1 },
      "stats.period was refused by the service: status 400, invalid_parameter.",
    ],
  ])("refuses %j", (match, message) => {
    const sim = createSimulator();
    const publisher = message.startsWith("publisher must") ? undefined : sim.publishers.at(0).id;
    expect(refusalOf(() => assertStats(sim, { publisher, ...match } as never))).toBe(message);
  });
});

describe("the books", () => {
  test("of a world that only requests changed balance", () => {
    const { sim, show } = recordingOf();
    show("a");
    assertBalances(sim);
    expect(matchers.toBalance(sim).message()).toMatch(
      /^Expected books that don't balance\. They do:\n {2}pub_\w+: revenue [\d.]+ INR = paid [\d.]+ \+ pending [\d.]+$/,
    );
  });

  test("that disagree give an error with each discrepancy", () => {
    const { sim } = recordingOf();
    const audit = { ...sim.audit(), balanced: false, discrepancies: ["publisher p: 1, and not 2"] };
    const { message, actual } = failureOf(() => assertBalances({ ...sim, audit: () => audit }));
    expect(message).toBe(
      `Expected the books to balance:
  publisher p: 1, and not 2
No client can cause this: it is a bug in adsim, or a snapshot was edited.`,
    );
    expect(actual).toEqual(audit.discrepancies);
  });

  test("equal the client's counts, or the error shows the difference as the audit does", () => {
    const { sim, ids, show } = recordingOf({
      faults: [{ id: "lossy", match: { nth: 1 }, verdict: { kind: "lose-response" } }],
    });
    show("a", { session: "s" });
    const [publisher] = ids;
    assertNothingLostOrDoubled(sim, { publisher, impressions: 1, clicks: 0 });
    const error = failureOf(() =>
      assertNothingLostOrDoubled(sim, { publisher, impressions: 0, clicks: 0 }),
    );
    expect(error.message).toMatch(/^Publisher pub_\w+: the client and the audit disagree\.\n/);
    expect(error).toMatchObject({
      expected: [{ publisher, impressions: 0 }],
      actual: [{ publisher, impressions: 1 }],
    });
    expect(matchers.toHaveNothingLostOrDoubled(sim, { impressions: 1, clicks: 0 }).message()).toBe(
      "Expected something lost or doubled: the client and the ledger agree.",
    );
    expect(refusalOf(() => assertNothingLostOrDoubled(sim, { impressions: -1, clicks: 0 }))).toBe(
      "clientCounts.impressions must be a whole number, 0 or more.",
    );
  });
});
