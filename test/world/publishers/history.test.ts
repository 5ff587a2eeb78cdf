/** What makes seeded history believable (decision 031), observed through the API as a developer would. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Choices, createSimulator, type Publisher, type Surface } from "../../../src/index.ts";
import type { Stats } from "../../../src/invariants/figures.ts";
import { someOf } from "../../budget.ts";
import { addDays, daysBetween } from "../../oracle/calendar.ts";
import { checkProperty } from "../../properties/check-property.ts";
import { type Reader, readerOf } from "../../properties/reader.ts";

const file = "test/world/publishers/history.test.ts";
const profiles = ["typical", "tiny", "adversarial"] as const;
type Profile = (typeof profiles)[number];

interface World {
  readonly seed: string;
  readonly profile: Profile;
  readonly start: string;
  readonly assumptions: Choices;
}

const worlds: fc.Arbitrary<World> = fc.record({
  seed: fc.string({ maxLength: 8, unit: "binary" }).filter((text) => text.isWellFormed()),
  profile: fc.constantFrom(...profiles),
  start: fc.constantFrom("2026-01-15T00:00:00Z", "2026-03-01T20:00:00Z", "2024-02-29T12:00:00Z"),
  assumptions: fc.record({
    "surface.statuses": fc.constantFrom("documented", "extended"),
    "date.timezone": fc.constantFrom("utc", "ist"),
  }),
});

interface Opened {
  readonly reader: Reader;
  readonly publishers: readonly Publisher[];
}

function open({ assumptions, ...options }: World, changed: Choices = {}, publishers = 4): Opened {
  const sim = createSimulator({
    ...options,
    publishers,
    assumptions: { ...assumptions, ...changed },
  });
  return { reader: readerOf(sim), publishers: sim.publishers.list({ limit: publishers }) };
}

function* surfacesOf(publishers: readonly Publisher[]): Generator<[Publisher, Surface]> {
  for (const publisher of publishers)
    for (const surface of publisher.surfaces) yield [publisher, surface];
}

/** The most that 1,000 impressions and their clicks earn, in micros an impression, by cpm_range if it has a width. */
function mostOf({ cpmRange: [lower, upper] }: Surface): number {
  const isNarrow = upper - lower < lower / 10;
  return (upper + (isNarrow ? 0.04 * lower : 0)) * 1000;
}

/** A surface's daily figures, from joining to the day before the start. */
function daysOf(reader: Reader, { id, joined }: Publisher, surface: Surface): Stats[] {
  return Array.from({ length: daysBetween(joined, reader.today) }, (_, past) => {
    const on = addDays(joined, past);
    return reader.stats(id, { surface: surface.id, from: on, to: on });
  });
}

function held(name: string, runs: number, look: (world: World) => void, leastRuns = 10): void {
  test(name, () =>
    checkProperty(
      { test: name, file, runs, leastRuns },
      fc.property(worlds, (world) => look(world)),
    ),
  );
}

describe("in every seeded history", () => {
  held("clicks are at most 2 % of impressions", 40, (world) => {
    const { reader, publishers } = open(world);
    for (const [{ id, joined }, surface] of surfacesOf(publishers)) {
      const all = reader.stats(id, { surface: surface.id, from: joined });
      expect(all.clicks).toBeLessThanOrEqual(all.impressions * 0.02);
    }
  });

  held(
    "1,000 impressions with their clicks earn an amount within the surface's cpm_range",
    40,
    (world) => {
      const { reader, publishers } = open(world);
      for (const [{ id, joined }, surface] of surfacesOf(publishers)) {
        const { impressions, micros } = reader.stats(id, { surface: surface.id, from: joined });
        expect(micros).toBeGreaterThanOrEqual(impressions * Math.round(surface.cpmRange[0] * 1000));
        expect(micros).toBeLessThanOrEqual(impressions * mostOf(surface));
      }
    },
  );

  held("there are no events before joining, and none from the start on", 30, (world) => {
    const { reader, publishers } = open(world);
    for (const { id, joined } of publishers) {
      const before = reader.stats(id, { from: "2000-01-01", to: addDays(joined, -1) });
      const since = reader.stats(id, { from: reader.today, to: "2030-01-01" });
      for (const figures of [before, since])
        expect(figures).toMatchObject({ impressions: 0, clicks: 0, micros: 0 });
    }
  });

  held("S1: the days of a period add up to it, and no figure is negative", 30, (world) => {
    const { reader, publishers } = open(world, {}, 1);
    for (const [publisher, surface] of surfacesOf(publishers)) {
      const sums = { impressions: 0, clicks: 0, micros: 0 };
      for (const [past, one] of daysOf(reader, publisher, surface).entries()) {
        expect(Math.min(one.impressions, one.clicks, one.micros)).toBeGreaterThanOrEqual(0);
        expect(one.clicks).toBeLessThanOrEqual(one.impressions);
        sums.impressions += one.impressions;
        sums.clicks += one.clicks;
        sums.micros += one.micros;
        if (past % 40 !== 0) continue;
        const { id, joined } = publisher;
        const to = addDays(joined, past);
        expect(reader.stats(id, { surface: surface.id, from: joined, to })).toMatchObject(sums);
      }
    }
  });

  held(
    "M1: payouts and the pending amount add up to all revenue, and every payout comes after joining and reaches the threshold",
    40,
    (world) => {
      const { reader, publishers } = open(world);
      for (const publisher of publishers) {
        const { payouts, pendingMicros } = reader.payouts(publisher.id);
        if (payouts.length === 100) continue;
        const paid = payouts.reduce((sum, { micros }) => sum + micros, 0);
        expect(paid + pendingMicros).toBe(reader.lifetime(publisher).micros);
        for (const { date, micros } of payouts) {
          expect(date > publisher.joined && date <= reader.today).toBe(true);
          expect(micros).toBeGreaterThanOrEqual(500e6);
        }
      }
    },
  );

  held("a surface's first week has no more traffic than its eighth", 40, (world) => {
    const { reader, publishers } = open(world, { "surface.statuses": "documented" });
    for (const [{ id, joined }, { id: surface }] of surfacesOf(publishers)) {
      if (daysBetween(joined, reader.today) < 56) continue;
      const [first = 0, eighth = 0] = [0, 49].map((past) => {
        const [from, to] = [addDays(joined, past), addDays(joined, past + 6)];
        return reader.stats(id, { surface, from, to }).impressions;
      });
      // Fractions of an impression carry over to the next day.
      expect(first).toBeLessThanOrEqual(eighth + 1);
    }
  });
});

describe("inactive surfaces", () => {
  held(
    "have the documented history until they stopped, and none after",
    8,
    (world) => {
      const extended = open(world, { "surface.statuses": "extended" }, 2);
      const documented = open(world, { "surface.statuses": "documented" }, 2);
      for (const [publisher, surface] of surfacesOf(extended.publishers)) {
        const [theirs, all] = [extended, documented].map(({ reader }) =>
          daysOf(reader, publisher, surface).map(({ impressions, clicks, micros }) => [
            impressions,
            clicks,
            micros,
          ]),
        ) as [number[][], number[][]];
        const stopped = theirs.findLastIndex(([impressions]) => impressions !== 0) + 1;
        expect(theirs.slice(0, stopped)).toEqual(all.slice(0, stopped));
        expect(
          theirs
            .slice(stopped)
            .flat()
            .every((figure) => figure === 0),
        ).toBe(true);
        const { status } = surface;
        if (status === "active") expect(theirs).toEqual(all);
        if (status === "pending_review") expect(stopped).toBe(0);
        // The day before the start at the earliest.
        if (status === "paused" || status === "archived") expect(theirs.at(-1)?.[0] ?? 0).toBe(0);
      }
    },
    3,
  );

  test("have stopped in the last two months if paused, at any time if archived, and had traffic", () => {
    const days: Record<string, number[]> = {};
    for (const seed of someOf(["a", "b"])) {
      const { reader, publishers } = open(
        { seed, profile: "typical", start: "2026-01-15T00:00:00Z", assumptions: {} },
        { "surface.statuses": "extended" },
        40,
      );
      for (const [publisher, surface] of surfacesOf(publishers)) {
        const all = daysOf(reader, publisher, surface);
        const last = all.findLastIndex(({ impressions }) => impressions > 0);
        days[surface.status] = [...(days[surface.status] ?? []), all.length - 1 - last];
        if (surface.status !== "pending_review") expect(last).toBeGreaterThan(-1);
      }
    }
    const { active = [], paused = [], archived = [] } = days;
    expect(Math.max(...paused)).toBeLessThanOrEqual(62);
    expect(Math.min(...paused)).toBeGreaterThan(0);
    expect(new Set(paused).size).toBeGreaterThan(20);
    expect(Math.max(...archived)).toBeGreaterThan(180);
    expect(Math.min(...archived)).toBeGreaterThan(5);
    expect(Math.max(...active)).toBeLessThan(3);
  });
});

describe("25 typical publishers together", () => {
  const world = {
    profile: "typical",
    start: "2026-01-15T00:00:00Z",
    assumptions: {},
  } as const;
  const seeds = ["adsim", "42", "another"];

  /** Impressions of all publishers over days since joining, for publishers that have all these days. */
  function together(seed: string, from: number, to: number, wholly = to): number {
    const { reader, publishers } = open({ ...world, seed }, {}, 25);
    return publishers
      .filter(({ joined }) => daysBetween(joined, reader.today) > wholly)
      .map(({ id, joined }) =>
        reader.stats(id, { from: addDays(joined, from), to: addDays(joined, to) }),
      )
      .reduce((sum, { impressions }) => sum + impressions, 0);
  }

  test.each(seeds)("ramp up over the first weeks (seed %s)", (seed) => {
    const weeks = [0, 1, 2, 3, 5].map((week) => together(seed, 7 * week, 7 * week + 6, 44));
    expect(weeks.toSorted((left, right) => left - right)).toEqual(weeks);
    expect(weeks[0]).toBeLessThan(0.4 * (weeks[4] ?? 0));
    expect(weeks[0]).toBeGreaterThan(0.1 * (weeks[4] ?? 0));
  });

  test.each(seeds)("grow from one year to the next (seed %s)", (seed) => {
    expect(together(seed, 448, 531)).toBeGreaterThan(1.1 * together(seed, 84, 167, 531));
  });

  test.each(seeds)("have about half the traffic on Saturdays and Sundays (seed %s)", (seed) => {
    const { reader, publishers } = open({ ...world, seed }, {}, 25);
    const byWeekday = Array.from({ length: 7 }, () => 0);
    for (const { id } of publishers) {
      for (let back = 1; back <= 42; back += 1) {
        const on = addDays(reader.today, -back);
        const weekday = new Date(`${on}T00:00:00Z`).getUTCDay();
        byWeekday[weekday] =
          (byWeekday[weekday] ?? 0) + reader.stats(id, { from: on, to: on }).impressions;
      }
    }
    const [sunday = 0, ...others] = byWeekday;
    const saturday = others.pop() ?? 0;
    for (const one of others) {
      for (const weekend of [saturday, sunday]) {
        expect(weekend / one).toBeGreaterThan(0.35);
        expect(weekend / one).toBeLessThan(0.7);
      }
    }
  });

  test.each(seeds)(
    "have click rates of 0.3 to 2 %, the highest more than twice the lowest (seed %s)",
    (seed) => {
      const { reader, publishers } = open({ ...world, seed }, {}, 25);
      const rates = [...surfacesOf(publishers)].flatMap(([{ id, joined }, surface]) => {
        const { impressions, clicks } = reader.stats(id, { surface: surface.id, from: joined });
        return impressions < 10_000 ? [] : [clicks / impressions];
      });
      expect(Math.min(...rates)).toBeGreaterThan(0.003);
      expect(Math.max(...rates)).toBeLessThan(0.02);
      expect(Math.max(...rates) / Math.min(...rates)).toBeGreaterThan(2);
    },
  );
});

describe("recorded events follow the same rules", () => {
  test.each(profiles)(
    "1,000 impressions and 20 clicks of %s surfaces earn within cpm_range",
    (profile) => {
      for (const seed of ["adsim", "42"]) {
        const sim = createSimulator({ seed, profile, publishers: 12, journalEntries: 0 });
        sim.publishers.signUp({ surfaces: ["Main", { name: "wide", cpmRange: [0, 300] }] });
        sim.publishers.signUp({ surfaces: [{ name: "narrow", cpmRange: [40, 40] }] });
        for (const [publisher, surface] of surfacesOf(sim.publishers.list({ limit: 14 }))) {
          const { impressions, clicks } = record(sim, publisher, surface);
          expect(impressions + clicks).toBeGreaterThanOrEqual(
            1000 * Math.round(surface.cpmRange[0] * 1000),
          );
          expect(impressions + clicks).toBeLessThanOrEqual(1000 * mostOf(surface));
          expect(clicks).toBeLessThan((impressions + clicks) / 3);
        }
      }
    },
  );

  test("where impressions earn nothing, a click still earns something", () => {
    const sim = createSimulator();
    const publisher = sim.publishers.signUp({ surfaces: [{ name: "free", cpmRange: [0, 0] }] });
    const [surface] = publisher.surfaces;
    if (surface === undefined) throw new Error("A surface is missing.");
    const { impressions, clicks } = record(sim, publisher, surface);
    expect(impressions).toBe(0);
    expect(clicks).toBe(20);
  });

  /** The micros that 1,000 impressions and 20 clicks on them earn. */
  function record(
    sim: ReturnType<typeof createSimulator>,
    { id, apiKey }: Publisher,
    surface: Surface,
  ): { impressions: number; clicks: number } {
    const headers = { authorization: `Bearer ${apiKey}` };
    const credited = { impressions: 0, clicks: 0 };
    const shown = { publisher_id: id, surface: surface.id, ad_id: "ad" };
    sim.clock.advance("1m");
    for (let sent = 0; sent < 1000; sent += 1) {
      const answer = sim.handle({ method: "POST", path: "/v1/impression", headers, body: shown });
      const { impression_id, revenue_credited_inr } = JSON.parse(answer.body);
      credited.impressions += Math.round(revenue_credited_inr * 1e6);
      if (sent >= 20) continue;
      const clicked = sim.handle({
        method: "POST",
        path: "/v1/click",
        headers,
        body: { impression_id },
      });
      credited.clicks += Math.round(JSON.parse(clicked.body).revenue_credited_inr * 1e6);
    }
    return credited;
  }
});
