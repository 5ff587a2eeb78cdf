/** Stats of today, of inverted periods and of unknown surfaces: each choice, and all of them together. */

import { describe, expect, test } from "vitest";
import { createSimulator, type Publisher, type Simulator } from "../../src/index.ts";
import type { Assumptions } from "../../src/spec/assumptions/catalogue.ts";
import { createParsingClient, type ParsingClient } from "./parsing-client.ts";

interface Row {
  readonly id: string;
  readonly impressions: number;
  readonly revenue: number;
}

interface World {
  readonly sim: Simulator;
  readonly publisher: Publisher;
  readonly asks: ParsingClient;
  show(surface: number): string;
  stats(query?: Readonly<Record<string, string>>): ReturnType<ParsingClient["get"]> & {
    readonly rows: readonly Row[];
  };
}

/** A publisher that signed up on 2026-01-15 with two surfaces. */
function world(assumptions: Partial<Assumptions>): World {
  const sim = createSimulator({ assumptions });
  const publisher = sim.publishers.signUp({ surfaces: ["one", "two"] });
  const asks = createParsingClient(sim, publisher);
  const [first, second] = publisher.surfaces;
  return {
    sim,
    publisher,
    asks,
    show(surface) {
      const { id } = (surface === 0 ? first : second) ?? { id: "" };
      const sent = { publisher_id: publisher.id, surface: id, ad_id: "ad" };
      return String(asks.post("impression", sent).body.impression_id);
    },
    stats(query = {}) {
      const answer = asks.get("stats", { publisher_id: publisher.id, ...query });
      return { ...answer, rows: (answer.body.surfaces ?? []) as readonly Row[] };
    },
  };
}

const zeros = { impressions: 0, clicks: 0, revenue_inr: 0 };

describe("stats.today=next-day", () => {
  const choice = { "stats.today": "next-day" } as const;

  test("today's events count from the next midnight on, in totals and rows", () => {
    const { sim, asks, show, stats } = world(choice);
    asks.post("click", { impression_id: show(0) });
    show(1);
    expect(stats().body).toMatchObject({
      ...zeros,
      period: { from: "2025-12-16", to: "2026-01-15" },
    });
    expect(stats().rows.map(({ impressions }) => impressions)).toEqual([0, 0]);
    sim.clock.advance(86_400_000 - 1);
    expect(stats().body).toMatchObject(zeros);
    sim.clock.advance(1);
    expect(stats().body).toMatchObject({ impressions: 2, clicks: 1 });
    expect(stats().rows.map(({ impressions }) => impressions)).toEqual([1, 1]);
    show(0);
    expect(stats().body).toMatchObject({ impressions: 2, clicks: 1 });
  });

  test("midnight is in India where days are", () => {
    const { sim, show, stats } = world({ ...choice, "date.timezone": "ist" });
    show(0);
    sim.clock.advance(18.5 * 3_600_000 - 1);
    expect(stats().body.impressions).toBe(0);
    sim.clock.advance(1);
    expect(stats().body.impressions).toBe(1);
  });

  test("a period of today alone, and one from today on, are returned as requested, with zeros", () => {
    const { show, stats } = world(choice);
    show(0);
    const today = { from: "2026-01-15", to: "2026-01-15" };
    expect(stats(today).body).toMatchObject({ ...zeros, period: today });
    const onwards = { from: "2026-01-15", to: "2026-03-01" };
    expect(stats(onwards).body).toMatchObject({ ...zeros, period: onwards });
  });

  test("past days and pending revenue are shown at once", () => {
    const [live, lagging] = [createSimulator(), createSimulator({ assumptions: choice })];
    const texts = [live, lagging].map(
      (sim) => createParsingClient(sim, sim.publishers.at(0)).get("stats", {}).text,
    );
    expect(texts[1]).toBe(texts[0]);
    const { publisher, asks, show } = world(choice);
    show(0);
    const { pending_inr } = asks.get("payouts", { publisher_id: publisher.id }).body;
    expect(pending_inr).toBeGreaterThan(0);
  });

  test("rows of surfaces with traffic are those with traffic before today", () => {
    const { sim, show, stats } = world({ ...choice, "stats.surfaces": "with-traffic" });
    show(0);
    expect(stats().rows).toEqual([]);
    sim.clock.advance("1d");
    show(1);
    expect(stats().rows).toHaveLength(1);
  });
});

describe("date.inverted-range=empty", () => {
  const choice = { "date.inverted-range": "empty" } as const;
  const period = { from: "2026-01-15", to: "2026-01-10" };

  test("the period is returned as requested, with zeros and the rows of a period without traffic", () => {
    const { show, stats } = world(choice);
    show(0);
    const { status, body, rows } = stats(period);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...zeros, period });
    expect(rows.map(({ impressions, revenue }) => [impressions, revenue])).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  test("a seeded publisher's history isn't subtracted", () => {
    const sim = createSimulator({ assumptions: choice });
    for (const publisher of sim.publishers.list({ limit: 5 })) {
      const query = { publisher_id: publisher.id, from: "2026-01-10", to: publisher.joined };
      const { body } = createParsingClient(sim, publisher).get("stats", query);
      expect(body).toMatchObject(zeros);
    }
  });

  test("a default end can make a period inverted: from tomorrow to today", () => {
    const { stats } = world(choice);
    const { body } = stats({ from: "2026-01-16" });
    expect(body).toMatchObject({ ...zeros, period: { from: "2026-01-16", to: "2026-01-15" } });
  });
});

describe("every combination of choices", () => {
  const combinations = (["live", "next-day"] as const).flatMap((today) =>
    (["all", "with-traffic"] as const).flatMap((listed) =>
      (["reject", "empty"] as const).map((inverted) => ({
        "stats.today": today,
        "stats.surfaces": listed,
        "date.inverted-range": inverted,
      })),
    ),
  );

  test.each(combinations)("has totals that are the sum of its rows: %o", (assumptions) => {
    const { sim, publisher, show, stats } = world(assumptions);
    show(0);
    sim.clock.advance("1d");
    show(0);
    show(0);
    const counted = { live: 3, "next-day": 1 }[assumptions["stats.today"]];
    const inverted = { reject: undefined, empty: 0 };
    const back = { from: "2026-01-16", to: "2026-01-15" };
    const known = publisher.surfaces[0]?.id ?? "";
    for (const [query, impressions] of [
      [{}, counted],
      [{ surface: known }, counted],
      [back, inverted[assumptions["date.inverted-range"]]],
    ] as const) {
      // The second answer comes from the cache.
      for (let time = 0; time < 2; time += 1) {
        const { status, body, rows } = stats(query);
        expect(status).toBe(impressions === undefined ? 400 : 200);
        expect(body.impressions).toBe(impressions);
        if (impressions === undefined) continue;
        expect(rows.reduce((sum, row) => sum + row.impressions, 0)).toBe(impressions);
        if (assumptions["stats.surfaces"] === "with-traffic")
          expect(rows.every((row) => row.impressions > 0)).toBe(true);
      }
    }
  });
});
