/** Signing up, rotating keys and changing surfaces: what they do, and that a refusal changes nothing. */

import { describe, expect, test } from "vitest";
import { createSimulator, InputError, type Publisher, type Simulator } from "../../../src/index.ts";
import { senderOf } from "../../sender.ts";

function statusOf(sim: Simulator, publisher: Publisher): number {
  return senderOf(sim, publisher).get("surfaces").status;
}

describe("sign-up", () => {
  test("gives a publisher that joined today, with empty stats and no payouts", () => {
    const sim = createSimulator({ start: "2026-03-01T00:00:00Z" });
    sim.clock.advance("36h");
    const made = sim.publishers.signUp({
      name: "Acme",
      surfaces: ["Plain", { name: "Priced", cpmRange: [1.25, 2], status: "paused" }],
    });
    expect(made).toMatchObject({
      name: "Acme",
      joined: "2026-03-02",
      surfaces: [
        { name: "Plain", status: "active", cpmRange: [10, 50] },
        { name: "Priced", status: "paused", cpmRange: [1.25, 2] },
      ],
    });
    const { get } = senderOf(sim, made);
    expect(JSON.parse(get("payouts").body)).toEqual({ payouts: [], pending_inr: 0 });
    expect(JSON.parse(get("stats").body)).toMatchObject({
      impressions: 0,
      clicks: 0,
      revenue_inr: 0,
    });
    expect(sim.publishers.total).toBe(26);
    expect(sim.publishers.at(25)).toEqual(made);
  });

  test("doesn't depend on the size of the population", () => {
    const [small, large] = [
      createSimulator({ publishers: 1 }),
      createSimulator({ publishers: 1_000_000 }),
    ];
    expect(small.publishers.signUp({ name: "A" })).toEqual(large.publishers.signUp({ name: "A" }));
  });

  test.each([
    [{ name: "" }, "name"],
    [{ name: 1 }, "name"],
    [{ name: "x".repeat(10_001) }, "name"],
    [{ name: "\ud800" }, "name"],
    [{ nam: "x" }, "nam"],
    [{ surfaces: "Main" }, "surfaces"],
    [{ surfaces: [""] }, "surfaces.0 must not be empty"],
    [{ surfaces: [5] }, "surfaces.0 must be a name, or {name"],
    [{ surfaces: ["a", null] }, "surfaces.1 must be a name, or {name"],
    [{ surfaces: [{}] }, "surfaces.0.name is required"],
    [{ surfaces: [{ name: "a", colour: "red" }] }, "surfaces.0.colour is not known here"],
    [{ surfaces: [{ name: "a", cpmRange: [2, 1] }] }, "surfaces.0.cpmRange must have its lower"],
    [{ surfaces: [{ name: "a", cpmRange: [-1, 1] }] }, "surfaces.0.cpmRange.0 must not be neg"],
    [{ surfaces: [{ name: "a", cpmRange: [0.001, 1] }] }, "surfaces.0.cpmRange.0 must be whole"],
    [{ surfaces: [{ name: "a", cpmRange: [1e-9, 1] }] }, "surfaces.0.cpmRange.0 must be whole"],
    [{ surfaces: [{ name: "a", cpmRange: [1, 1.01000001] }] }, "surfaces.0.cpmRange.1 must be wh"],
    [{ surfaces: [{ name: "a", cpmRange: [1, Number.NaN] }] }, "surfaces.0.cpmRange.1 must be a n"],
    [{ surfaces: [{ name: "a", status: "gone" }] }, "surfaces.0.status must be one of active"],
    [{ surfaces: Array.from({ length: 256 }, (_, index) => `${index}`) }, "surfaces"],
    [null, ""],
  ])("refuses %j, and the error names %s", (request, field) => {
    const sim = createSimulator();
    const before = JSON.stringify(sim.snapshot());
    // Wrong on purpose: JavaScript and JSON allow what the types exclude.
    const wrong = request as Parameters<typeof sim.publishers.signUp>[0];
    expect(() => sim.publishers.signUp(wrong)).toThrow(InputError);
    expect(() => sim.publishers.signUp(wrong)).toThrow(field);
    expect(JSON.stringify(sim.snapshot())).toBe(before);
    expect(sim.publishers.total).toBe(25);
  });
});

test("every whole number of paise is a price", () => {
  const { publishers } = createSimulator();
  const { id, surfaces } = publishers.signUp();
  for (let paise = 0; paise <= 1_000_000; paise = paise * 1.01 + 1) {
    const inr = Math.trunc(paise) / 100;
    const cpmRange = [inr, Number(inr.toFixed(2))] as const;
    expect(publishers.setSurface(id, surfaces[0]?.id ?? "", { cpmRange }).cpmRange).toEqual(
      cpmRange,
    );
  }
});

describe("a new key", () => {
  test("replaces the old one at once, every time", () => {
    const sim = createSimulator();
    const keys = [sim.publishers.at(3)];
    for (let count = 0; count < 4; count += 1) {
      keys.push(sim.publishers.rotateKey(sim.publishers.at(3).id));
      expect(keys.map((publisher) => statusOf(sim, publisher))).toEqual([
        ...keys.slice(0, -1).map(() => 401),
        200,
      ]);
    }
    expect(new Set(keys.map(({ apiKey }) => apiKey)).size).toBe(5);
  });

  test("gives no access before it is issued", () => {
    const sim = createSimulator();
    const publisher = sim.publishers.at(3);
    const next = sim.fork().publishers.rotateKey(publisher.id);
    expect(statusOf(sim, next)).toBe(401);
    expect(statusOf(sim, publisher)).toBe(200);
  });
});

describe("surface prices and statuses", () => {
  test("setSurface pauses a surface and changes its price from now on", () => {
    const sim = createSimulator();
    const publisher = sim.publishers.at(0);
    const { id, surfaces } = publisher;
    const [surface] = surfaces;
    if (surface === undefined) throw new Error("A typical publisher has surfaces.");
    const { impression: record } = senderOf(sim, publisher);
    sim.publishers.setSurface(id, surface.id, { status: "paused" });
    expect(record().status).toBe(409);
    const changed = sim.publishers.setSurface(id, surface.id, {
      status: "active",
      cpmRange: [7, 7],
    });
    expect(changed).toEqual({ ...surface, status: "active", cpmRange: [7, 7] });
    expect(JSON.parse(record().body).revenue_credited_inr).toBe(0.007);
    expect(sim.publishers.get(id).surfaces[0]).toEqual(changed);
  });

  test("impressions earn every amount from one bound of the price range to the other, and none beyond", () => {
    const sim = createSimulator();
    const surfaces = [{ name: "Narrow", cpmRange: [1, 1.01] }] as const;
    const { impression } = senderOf(sim, sim.publishers.signUp({ surfaces }));
    const credited = new Set<number>();
    for (let shown = 0; shown < 500; shown += 1) {
      credited.add(JSON.parse(impression().body).revenue_credited_inr);
    }
    const expected = Array.from({ length: 11 }, (_, step) => (1000 + step) / 1_000_000);
    expect([...credited].sort((left, right) => left - right)).toEqual(expected);
  });

  test("setSurface refuses unknown surfaces and invalid values, and changes nothing", () => {
    const sim = createSimulator();
    const { id, surfaces } = sim.publishers.at(0);
    const surface = surfaces[0]?.id ?? "";
    const foreign = sim.publishers.at(1).surfaces[0]?.id ?? "";
    const before = JSON.stringify(sim.publishers.get(id));
    const set = sim.publishers.setSurface;
    expect(() => set("pub_nobody", surface, { status: "paused" })).toThrow(/publisher/i);
    expect(() => set(id, "srf_nothing", { status: "paused" })).toThrow(/surface/);
    expect(() => set(id, foreign, { status: "paused" })).toThrow(/surface/);
    expect(() => set(id, surface, {})).toThrow(/status, cpmRange or both/);
    expect(() => set(id, surface, { status: "gone" })).toThrow(/active, paused/);
    expect(() => set(id, surface, { cpmRange: [3, 2] })).toThrow(/lower bound first/);
    expect(() => set(id, surface, { cpmRange: [0, 10_001] })).toThrow(/10000 INR/);
    expect(JSON.stringify(sim.publishers.get(id))).toBe(before);
  });
});

test("an unknown index or id is refused, and the error for an index names the range", () => {
  const { publishers } = createSimulator();
  for (const index of [-1, 25, 0.5, Number.NaN])
    expect(() => publishers.at(index)).toThrow(/0 to 24/);
  expect(() => publishers.get("pub_nobody")).toThrow(InputError);
  expect(() => publishers.rotateKey("pub_nobody")).toThrow(InputError);
});

describe("a list of publishers", () => {
  const { publishers } = createSimulator();
  const wrongNumbers = [-5, Number.NaN, 0.5, Number.POSITIVE_INFINITY, "1", null];

  test.each(wrongNumbers)(
    "refuses %j as offset, limit or count, and the error names the field",
    (wrong) => {
      // Wrong on purpose: JavaScript allows what the types exclude.
      const count = wrong as number;
      expect(() => publishers.list({ offset: count, limit: 10 })).toThrow(/^offset must/);
      expect(() => publishers.list({ limit: count })).toThrow(/^limit must/);
      expect(() => publishers.credentials(count)).toThrow(/^count must/);
      expect(() => publishers.credentials(count)).toThrow(InputError);
    },
  );

  test("refuses a limit of 0 and an unknown option, and is empty past the last publisher", () => {
    expect(() => publishers.list({ limit: 0 })).toThrow(/^limit must be at least 1/);
    const misspelt = { ofset: 1 } as { offset?: number };
    expect(() => publishers.list(misspelt)).toThrow("ofset is not known here");
    expect(publishers.list({ offset: undefined, limit: 25 })).toHaveLength(25);
    expect(publishers.list({ offset: 1e15 })).toEqual([]);
  });
});
