/** Payouts as the API shows them: cycles, statuses and references, and books that balance under all of them. */

import { describe, expect, test } from "vitest";
import { createSimulator, type Publisher, type Simulator } from "../../src/index.ts";
import type { Assumptions } from "../../src/spec/assumptions/catalogue.ts";
import { createParsingClient } from "./parsing-client.ts";

interface Payout {
  readonly id: string;
  readonly date: string;
  readonly amount_inr: number;
  readonly status: string;
  readonly txn_id?: string | null;
}

interface Listing {
  readonly payouts: readonly Payout[];
  readonly pending: number;
  readonly shapedBy: readonly string[];
}

function listing(sim: Simulator, publisher: Publisher): Listing {
  const { body, shapedBy } = createParsingClient(sim, publisher).get("payouts", {
    publisher_id: publisher.id,
    limit: 100,
  });
  return {
    payouts: body.payouts as readonly Payout[],
    pending: Number(body.pending_inr),
    shapedBy,
  };
}

function world(assumptions: Partial<Assumptions>, start = "2026-01-15T00:00:00Z"): Simulator {
  return createSimulator({ assumptions, start });
}

const unpaid = (status: string): boolean => status !== "paid" && status !== "reversed";
const extended = { "payout.statuses": "extended" } as const;

describe.each(["monthly", "weekly"] as const)("payout.cycle=%s", (cycle) => {
  test("lifetime revenue equals all payouts plus pending revenue, day by day, whatever their status", () => {
    const sim = world({ "payout.cycle": cycle, ...extended });
    const publishers = sim.publishers.list({ limit: 8 });
    for (let days = 0; days < 50; days += 1) {
      for (const publisher of publishers.slice(days % 4, (days % 4) + 2)) {
        const { payouts, pending } = listing(sim, publisher);
        const { revenue_inr } = createParsingClient(sim, publisher).get("stats", {
          publisher_id: publisher.id,
          from: publisher.joined,
        }).body;
        const listed = payouts.reduce((sum, one) => sum + one.amount_inr * 1e6, 0);
        // The oldest payouts may not fit in the list.
        if (payouts.length === 100) continue;
        expect(Math.round(listed + pending * 1e6)).toBe(Math.round(Number(revenue_inr) * 1e6));
      }
      sim.clock.advance("1d");
    }
  });

  test("each payout has its own id and reference", () => {
    const sim = world({ "payout.cycle": cycle });
    const payouts = sim.publishers.list({ limit: 25 }).flatMap((one) => listing(sim, one).payouts);
    const texts = payouts.flatMap(({ id, txn_id }) => [id, txn_id]);
    expect(payouts.length).toBeGreaterThan(100);
    expect(new Set(texts).size).toBe(texts.length);
  });
});

test("weekly payouts have other ids than monthly ones", () => {
  const ids = (["monthly", "weekly"] as const).map((cycle) => {
    const sim = world({ "payout.cycle": cycle });
    return sim.publishers
      .list({ limit: 25 })
      .flatMap((one) => listing(sim, one).payouts.map(({ id }) => id));
  });
  const [months = [], weeks = []] = ids;
  expect(weeks.length).toBeGreaterThan(months.length);
  expect(weeks.filter((id) => months.includes(id))).toEqual([]);
});

test.each([
  // The Wednesday 2026-01-14 begins in India at 18:30 UTC of the day before.
  ["utc", "2026-01-14T00:00:00Z"],
  ["ist", "2026-01-13T18:30:00Z"],
] as const)("a week is paid at the start of Wednesday: %s", (timezone, midnight) => {
  const newest = (start: string): string | undefined => {
    const sim = world({ "payout.cycle": "weekly", "date.timezone": timezone }, start);
    return listing(sim, sim.publishers.at(0)).payouts[0]?.date;
  };
  const justBefore = new Date(Date.parse(midnight) - 1).toISOString();
  expect([newest(justBefore), newest(midnight)]).toEqual(["2026-01-07", "2026-01-14"]);
});

test.each([
  // The week ends with the Sunday 2026-01-18.
  ["utc", "2026-01-18T23:59:59.999Z"],
  ["ist", "2026-01-18T18:29:59.999Z"],
] as const)("a week ends at the end of Sunday: %s", (timezone, lastInstant) => {
  for (const [waitMs, payday] of [
    [0, "2026-01-21"],
    [1, "2026-01-28"],
  ] as const) {
    const sim = world({ "payout.cycle": "weekly", "date.timezone": timezone }, lastInstant);
    const publisher = sim.publishers.signUp({ surfaces: [{ name: "dear", cpmRange: [9e3, 9e3] }] });
    sim.clock.advance(waitMs);
    const asks = createParsingClient(sim, publisher);
    for (let count = 0; count < 60; count += 1) {
      const surface = publisher.surfaces[0]?.id;
      asks.post("impression", { publisher_id: publisher.id, surface, ad_id: "ad" });
    }
    sim.clock.advance("30d");
    expect(listing(sim, publisher).payouts).toMatchObject([{ date: payday, amount_inr: 540 }]);
  }
});

describe("payout.statuses=extended", () => {
  test("payouts are those of the documented choice at every moment, except for status and reference", () => {
    const [documented, courses] = [world({}), world(extended)];
    const bare = (sim: Simulator): unknown =>
      sim.publishers.list({ limit: 10 }).map((one) => {
        const { payouts, pending } = listing(sim, one);
        return [payouts.map(({ id, date, amount_inr }) => [id, date, amount_inr]), pending];
      });
    for (let days = 0; days < 40; days += 4) {
      expect(bare(courses)).toEqual(bare(documented));
      for (const sim of [documented, courses]) sim.clock.advance("4d");
    }
  });

  test("all five statuses occur among the seeded payouts within two months", () => {
    const sim = world(extended);
    const seen = new Set<string>();
    for (let days = 0; days < 60; days += 1) {
      const publisher = sim.publishers.at(days % 5);
      for (const { status } of listing(sim, publisher).payouts) seen.add(status);
      sim.clock.advance("1d");
    }
    expect([...seen].sort()).toEqual(["failed", "on_hold", "paid", "processing", "reversed"]);
  });

  test("a payout is processing for three days from its date", () => {
    const sim = world(extended, "2026-02-06T00:00:00Z");
    const of = (): Payout | undefined => listing(sim, sim.publishers.at(0)).payouts[0];
    expect(of()?.date).toBe("2026-01-07");
    sim.clock.advance("1d");
    expect(of()).toMatchObject({ date: "2026-02-07", status: "processing" });
    sim.clock.advance("2d");
    expect(of()).toMatchObject({ date: "2026-02-07", status: "processing" });
    sim.clock.advance("1d");
    expect(of()?.status).not.toBe("processing");
  });
});

describe.each([
  ["empty", (payout: Payout) => payout.txn_id === ""],
  ["null", (payout: Payout) => payout.txn_id === null],
  ["absent", (payout: Payout) => !Object.hasOwn(payout, "txn_id")],
] as const)("payout.txn-id=%s", (choice, hasNone) => {
  test("is the reference of an unpaid payout; paid and reversed payouts have theirs", () => {
    const sim = world({ ...extended, "payout.txn-id": choice }, "2026-02-08T00:00:00Z");
    const all = sim.publishers.list({ limit: 25 }).flatMap((one) => listing(sim, one).payouts);
    expect(all.filter(({ status }) => unpaid(status)).length).toBeGreaterThan(10);
    expect(all.some(({ status }) => status === "reversed")).toBe(true);
    for (const payout of all) {
      if (unpaid(payout.status)) expect(hasNone(payout)).toBe(true);
      else expect(payout.txn_id).toMatch(/^txn_/);
    }
  });
});

test("a reference never changes once it is given", () => {
  const sim = world(extended);
  const publisher = sim.publishers.at(0);
  const given = new Map<string, unknown>();
  for (let days = 0; days < 60; days += 1) {
    for (const { id, txn_id } of listing(sim, publisher).payouts) {
      if (given.get(id)) expect(txn_id).toBe(given.get(id));
      if (txn_id !== "") given.set(id, txn_id);
    }
    sim.clock.advance("1d");
  }
  expect(given.size).toBeGreaterThan(1);
});

describe("the keys that shaped an answer", () => {
  test("neither statuses nor references are listed if there is no payout", () => {
    const sim = world(extended);
    const { payouts, shapedBy } = listing(sim, sim.publishers.signUp());
    expect(payouts).toEqual([]);
    expect(shapedBy).toEqual(["payout.cycle", "date.timezone"]);
  });

  test("payout.txn-id is listed only if there is an unpaid payout", () => {
    for (const assumptions of [{}, extended]) {
      const sim = world(assumptions, "2026-02-08T00:00:00Z");
      for (const publisher of sim.publishers.list({ limit: 25 })) {
        const { payouts, shapedBy } = listing(sim, publisher);
        const some = payouts.some(({ status }) => unpaid(status));
        expect(shapedBy.includes("payout.txn-id")).toBe(some);
        expect(shapedBy.includes("payout.statuses")).toBe(payouts.length > 0);
        expect(shapedBy.includes("payout.order")).toBe(payouts.length > 1);
      }
    }
  });
});
