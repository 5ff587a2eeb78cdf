/** Payouts as the API shows them: statuses and references, and books that balance under all of them. */

import { describe, expect, test } from "vitest";
import { createSimulator, type Publisher, type Simulator } from "../../src/index.ts";
import type { Assumptions } from "../../src/spec/assumptions/catalogue.ts";
import { createParsingClient } from "./parsing-client.ts";

interface Payout {
  readonly id: string;
  readonly date: string;
  readonly amount_inr: number;
  readonly status: string;
  readonly txn_id?: string;
}

interface Listing {
  readonly payouts: readonly Payout[];
  readonly pending: number;
}

function listing(sim: Simulator, publisher: Publisher): Listing {
  const { body } = createParsingClient(sim, publisher).get("payouts", {
    publisher_id: publisher.id,
    limit: 100,
  });
  return {
    payouts: body.payouts as readonly Payout[],
    pending: Number(body.pending_inr),
  };
}

function world(assumptions: Partial<Assumptions>, start = "2026-01-15T00:00:00Z"): Simulator {
  return createSimulator({ assumptions, start });
}

const unpaid = (status: string): boolean => status !== "paid" && status !== "reversed";
const extended = { "payout.statuses": "extended" } as const;

test("lifetime revenue equals all payouts plus pending revenue, day by day, whatever their status", () => {
  const sim = world(extended);
  const publishers = sim.publishers.list({ limit: 8 });
  for (let days = 0; days < 50; days += 1) {
    for (const publisher of publishers.slice(days % 4, (days % 4) + 2)) {
      const { payouts, pending } = listing(sim, publisher);
      const { revenue_inr } = createParsingClient(sim, publisher).get("stats", {
        publisher_id: publisher.id,
        from: publisher.joined,
      }).body;
      const listed = payouts.reduce((sum, one) => sum + one.amount_inr * 1e6, 0);
      expect(Math.round(listed + pending * 1e6)).toBe(Math.round(Number(revenue_inr) * 1e6));
    }
    sim.clock.advance("1d");
  }
});

test("each payout has its own id and reference", () => {
  const sim = world({});
  const payouts = sim.publishers.list({ limit: 25 }).flatMap((one) => listing(sim, one).payouts);
  const texts = payouts.flatMap(({ id, txn_id }) => [id, txn_id]);
  expect(payouts.length).toBeGreaterThan(100);
  expect(new Set(texts).size).toBe(texts.length);
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
  ["extended", (payout: Payout) => payout.txn_id === ""],
  ["extended-without-txn", (payout: Payout) => !Object.hasOwn(payout, "txn_id")],
] as const)("payout.statuses=%s", (choice, hasNone) => {
  test("an unpaid payout has no reference; paid and reversed payouts have theirs", () => {
    const sim = world({ "payout.statuses": choice }, "2026-02-08T00:00:00Z");
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
