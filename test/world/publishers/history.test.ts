/** What makes seeded history believable (decision 031), observed through the API as a developer would. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Choices, createSimulator, type Publisher, type Surface } from "../../../src/index.ts";
import { addDays, daysBetween } from "../../oracle/calendar.ts";
import { checkProperty } from "../../properties/check-property.ts";
import { type Reader, readerOf } from "../../properties/reader.ts";
import { impressionIdIn, senderOf } from "../../sender.ts";

const file = "test/world/publishers/history.test.ts";
const profiles = ["typical", "tiny", "adversarial"] as const;

interface World {
  readonly seed: string;
  readonly profile: (typeof profiles)[number];
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
  const changedToo = { ...assumptions, ...changed };
  const sim = createSimulator({ ...options, publishers, assumptions: changedToo });
  return { reader: readerOf(sim), publishers: sim.publishers.list({ limit: publishers }) };
}

function surfacesOf(publishers: readonly Publisher[]): (readonly [Publisher, Surface])[] {
  return publishers.flatMap((one) => one.surfaces.map((surface) => [one, surface] as const));
}

/** What 1,000 impressions and their clicks earn, in micros an impression: cpm_range, and a little more if it is narrow. */
function expectInRange({ cpmRange: [lower, upper] }: Surface, shown: number, micros: number): void {
  const isNarrow = upper - lower < lower / 10;
  expect(micros).toBeGreaterThanOrEqual(shown * Math.round(lower * 1000));
  expect(micros).toBeLessThanOrEqual(shown * (upper + (isNarrow ? 0.04 * lower : 0)) * 1000);
}

/** How many days a surface had traffic, from joining on, and how many there are until the day before the start. */
function daysOf(reader: Reader, { id, joined }: Publisher, surface: Surface): [number, number] {
  const all = daysBetween(joined, reader.today);
  let [had, atMost] = [0, all];
  while (had < atMost) {
    const middle = Math.floor((had + atMost) / 2);
    const query = { surface: surface.id, from: addDays(joined, middle) };
    if (reader.stats(id, query).impressions === 0) atMost = middle;
    else had = middle + 1;
  }
  return [had, all];
}

function holds(name: string, runs: number, look: (world: World) => void): void {
  const options = { test: name, file, runs };
  test(name, () =>
    checkProperty(
      options,
      fc.property(worlds, (world) => look(world)),
    ),
  );
}

describe("in every seeded history", () => {
  const earning =
    "at most 2 % of impressions are clicked, and 1,000 with their clicks earn an amount within cpm_range";
  holds(earning, 40, (world) => {
    const { reader, publishers } = open(world);
    for (const [{ id, joined }, surface] of surfacesOf(publishers)) {
      const query = { surface: surface.id, from: joined };
      const { impressions, clicks, micros } = reader.stats(id, query);
      expect(clicks).toBeLessThanOrEqual(impressions * 0.02);
      expectInRange(surface, impressions, micros);
    }
  });

  holds("there are no events before joining, and none from the start on", 30, (world) => {
    const { reader, publishers } = open(world);
    for (const { id, joined } of publishers) {
      const before = reader.stats(id, { from: "2000-01-01", to: addDays(joined, -1) });
      const since = reader.stats(id, { from: reader.today, to: "2030-01-01" });
      for (const figures of [before, since])
        expect(figures).toMatchObject({ impressions: 0, clicks: 0, micros: 0 });
    }
  });

  holds(
    "an inactive surface has the documented days until it stopped, and none after",
    30,
    (world) => {
      const extended = open(world, { "surface.statuses": "extended" }, 2);
      const documented = open(world, { "surface.statuses": "documented" }, 2);
      for (const [publisher, surface] of surfacesOf(extended.publishers)) {
        const { id, joined } = publisher;
        const [had, all] = daysOf(extended.reader, publisher, surface);
        const to = addDays(joined, had - 1);
        for (const from of had === 0 ? [] : [joined, to]) {
          const query = { surface: surface.id, from, to };
          const { impressions, clicks, micros } = extended.reader.stats(id, query);
          const expected = { impressions, clicks, micros };
          expect(documented.reader.stats(id, query)).toMatchObject(expected);
        }
        const after = { surface: surface.id, from: addDays(joined, had) };
        expect(extended.reader.stats(id, after)).toMatchObject({
          impressions: 0,
          clicks: 0,
          micros: 0,
        });
        if (surface.status === "pending_review") expect(had).toBe(0);
        // The day before the start at the latest.
        if (surface.status !== "active") expect(had).toBeLessThan(Math.max(all, 1));
      }
    },
  );
});

test("inactive surfaces stopped in the last two months if paused, at any time if archived, and had traffic", () => {
  const quiet: Record<string, number[]> = { active: [], paused: [], archived: [] };
  const start = "2026-01-15T00:00:00Z";
  const world: World = { seed: "a", profile: "typical", start, assumptions: {} };
  const { reader, publishers } = open(world, { "surface.statuses": "extended" }, 40);
  for (const [publisher, surface] of surfacesOf(publishers)) {
    const [had, all] = daysOf(reader, publisher, surface);
    quiet[surface.status]?.push(all - had);
    if (surface.status !== "pending_review") expect(had).toBeGreaterThan(0);
  }
  const { active = [], paused = [], archived = [] } = quiet;
  expect(Math.max(...paused)).toBeLessThanOrEqual(62);
  expect(Math.min(...paused)).toBeGreaterThan(0);
  expect(new Set(paused).size).toBeGreaterThan(20);
  expect(Math.max(...archived)).toBeGreaterThan(180);
  expect(Math.min(...archived)).toBeGreaterThan(5);
  expect(Math.max(...active)).toBeLessThan(3);
});

describe.each(["adsim", "42"])("25 typical publishers together (seed %s)", (seed) => {
  const start = "2026-01-15T00:00:00Z";
  const { reader, publishers } = open({ seed, profile: "typical", start, assumptions: {} }, {}, 25);

  /** Impressions over these days since joining, of publishers that have them, and at least `wholly` days. */
  function together(from: number, to: number, wholly = to): number {
    return publishers
      .filter(({ joined }) => daysBetween(joined, reader.today) > wholly)
      .map(({ id, joined }) =>
        reader.stats(id, { from: addDays(joined, from), to: addDays(joined, to) }),
      )
      .reduce((sum, { impressions }) => sum + impressions, 0);
  }

  test("ramp up over the first weeks, and grow from one year to the next", () => {
    const weeks = [0, 1, 2, 3, 5].map((week) => together(7 * week, 7 * week + 6, 44));
    expect(weeks.toSorted((left, right) => left - right)).toEqual(weeks);
    const share = (weeks[0] ?? 0) / (weeks[4] ?? 0);
    expect([share > 0.1, share < 0.4]).toEqual([true, true]);
    expect(together(448, 531)).toBeGreaterThan(1.1 * together(84, 167, 531));
  });

  test("have about half the traffic on Saturdays and Sundays", () => {
    const byWeekday = [0, 0, 0, 0, 0, 0, 0];
    for (let back = 1; back <= 42; back += 1) {
      const on = addDays(reader.today, -back);
      const weekday = new Date(`${on}T00:00:00Z`).getUTCDay();
      for (const { id } of publishers)
        byWeekday[weekday] =
          (byWeekday[weekday] ?? 0) + reader.stats(id, { from: on, to: on }).impressions;
    }
    const [sunday = 0, ...others] = byWeekday;
    const saturday = others.pop() ?? 0;
    expect(Math.min(saturday, sunday) / Math.max(...others)).toBeGreaterThan(0.35);
    expect(Math.max(saturday, sunday) / Math.min(...others)).toBeLessThan(0.7);
  });

  test("have click rates of 0.3 to 2 %, the highest more than twice the lowest", () => {
    const rates = surfacesOf(publishers).flatMap(([{ id, joined }, surface]) => {
      const { impressions, clicks } = reader.stats(id, { surface: surface.id, from: joined });
      return impressions < 10_000 ? [] : [clicks / impressions];
    });
    const [lowest, highest] = [Math.min(...rates), Math.max(...rates)];
    expect(lowest).toBeGreaterThan(0.003);
    expect(highest).toBeLessThan(0.02);
    expect(highest / lowest).toBeGreaterThan(2);
  });
});

test.each(profiles)(
  "recorded events are priced alike: 1,000 impressions and 20 clicks of %s surfaces earn within cpm_range",
  (profile) => {
    const sim = createSimulator({ profile, publishers: 2, journalEntries: 0 });
    sim.publishers.signUp({ surfaces: ["Main", { name: "wide", cpmRange: [0, 300] }] });
    sim.publishers.signUp({ surfaces: [{ name: "narrow", cpmRange: [40, 40] }] });
    for (const [publisher, surface] of surfacesOf(sim.publishers.list({ limit: 4 }))) {
      const { shown, clicked } = record(sim, publisher, surface);
      expectInRange(surface, 1000, shown + clicked);
      expect(clicked).toBeLessThan((shown + clicked) / 3);
    }
  },
);

test("where impressions earn nothing, a click still earns something", () => {
  const sim = createSimulator();
  const surfaces = [{ name: "free", cpmRange: [0, 0] }] as const;
  for (const [publisher, surface] of surfacesOf([sim.publishers.signUp({ surfaces })]))
    expect(record(sim, publisher, surface)).toEqual({ shown: 0, clicked: 20 });
});

/** The micros that 1,000 impressions and 20 clicks on them earn. */
function record(sim: ReturnType<typeof createSimulator>, publisher: Publisher, { id }: Surface) {
  const { impression, post } = senderOf(sim, publisher);
  const creditIn = ({ body }: { readonly body: string }): number =>
    Math.round(JSON.parse(body).revenue_credited_inr * 1e6);
  const earned = { shown: 0, clicked: 0 };
  sim.clock.advance("1m");
  for (let sent = 0; sent < 1000; sent += 1) {
    const answer = impression({ surface: id });
    earned.shown += creditIn(answer);
    if (sent < 20)
      earned.clicked += creditIn(post("click", { impression_id: impressionIdIn(answer) }));
  }
  return earned;
}
