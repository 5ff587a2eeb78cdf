/** Signing up, rotating keys and changing surfaces: what they do, and that a refusal changes nothing. */

import { describe, expect, test } from "vitest";
import { createSimulator, InputError } from "../../../src/index.ts";
import { senderOf } from "../../sender.ts";

describe("a sign-up", () => {
  test("gives a publisher that joined today, with empty stats and no payouts", () => {
    const sim = createSimulator({ start: "2026-03-01T00:00:00Z" });
    sim.clock.advance("36h");
    const surfaces = ["Plain", { name: "Priced", cpmRange: [1.25, 2], status: "paused" }] as const;
    const made = sim.publishers.signUp({ name: "Acme", surfaces });
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
    const nothing = { impressions: 0, clicks: 0, revenue_inr: 0 };
    expect(JSON.parse(get("stats").body)).toMatchObject(nothing);
    expect([sim.publishers.total, sim.publishers.at(25)]).toEqual([26, made]);
  });

  test("doesn't depend on the size of the population, or on surface.statuses", () => {
    const assumptions = { "surface.statuses": "extended" } as const;
    const request = { name: "A", surfaces: ["one", "two"] };
    const [small, large] = [1, 1_000_000].map((publishers) =>
      createSimulator({ publishers, assumptions }).publishers.signUp(request),
    );
    expect(small).toEqual(large);
    expect(small?.surfaces.map(({ status }) => status)).toEqual(["active", "active"]);
  });

  test.each([
    [{ name: "" }, "name"],
    [{ name: "x".repeat(10_001) }, "name"],
    [{ name: "\ud800" }, "name"],
    [{ nam: "x" }, "nam"],
    [{ surfaces: "Main" }, "surfaces"],
    [{ surfaces: [""] }, "surfaces.0 must not be empty"],
    [{ surfaces: ["a", null] }, "surfaces.1 must be a name, or {name"],
    [{ surfaces: [{}] }, "surfaces.0.name is required"],
    [{ surfaces: [{ name: "a", colour: "red" }] }, "surfaces.0.colour is not known here"],
    [{ surfaces: [{ name: "a", cpmRange: [2, 1] }] }, "surfaces.0.cpmRange must have its lower"],
    [{ surfaces: [{ name: "a", cpmRange: [-1, 1] }] }, "surfaces.0.cpmRange.0 must not be neg"],
    [{ surfaces: [{ name: "a", cpmRange: [0.001, 1] }] }, "surfaces.0.cpmRange.0 must be whole"],
    [{ surfaces: [{ name: "a", cpmRange: [1, 1.01000001] }] }, "surfaces.0.cpmRange.1 must be wh"],
    [{ surfaces: [{ name: "a", cpmRange: [1, Number.NaN] }] }, "surfaces.0.cpmRange.1 must be a n"],
    [{ surfaces: [{ name: "a", status: "gone" }] }, "surfaces.0.status must be one of active"],
    [{ surfaces: Array.from({ length: 256 }, (_, index) => `${index}`) }, "surfaces"],
    [null, ""],
  ])("of %j is refused, and the error names %s", (request, field) => {
    const sim = createSimulator();
    const before = JSON.stringify(sim.snapshot());
    // Wrong on purpose: JavaScript and JSON allow what the types exclude.
    const wrong = request as Parameters<typeof sim.publishers.signUp>[0];
    expect(() => sim.publishers.signUp(wrong)).toThrow(InputError);
    expect(() => sim.publishers.signUp(wrong)).toThrow(field);
    expect(JSON.stringify(sim.snapshot())).toBe(before);
  });
});

test("a new key replaces the old one at once, every time, and gives no access before it is issued", () => {
  const sim = createSimulator();
  const keys = [sim.publishers.at(3)];
  const statuses = (): number[] => keys.map((one) => senderOf(sim, one).get("surfaces").status);
  for (const expected of [
    [401, 200],
    [401, 401, 200],
    [401, 401, 401, 200],
  ]) {
    const next = sim.fork().publishers.rotateKey(sim.publishers.at(3).id);
    expect(senderOf(sim, next).get("surfaces").status).toBe(401);
    expect(sim.publishers.rotateKey(next.id)).toEqual(next);
    keys.push(next);
    expect(statuses()).toEqual(expected);
  }
});

describe("setSurface", () => {
  test("pauses a surface and changes its price from now on", () => {
    const sim = createSimulator();
    const publisher = sim.publishers.at(0);
    const {
      id,
      surfaces: [surface],
    } = publisher;
    const { impression } = senderOf(sim, publisher);
    const set = (change: Parameters<typeof sim.publishers.setSurface>[2]) =>
      sim.publishers.setSurface(id, surface?.id ?? "", change);
    set({ status: "paused" });
    expect(impression().status).toBe(409);
    const changed = set({ status: "active", cpmRange: [7, 7] });
    expect(changed).toEqual({ ...surface, status: "active", cpmRange: [7, 7] });
    expect(JSON.parse(impression().body).revenue_credited_inr).toBe(0.007);
    expect(sim.publishers.get(id).surfaces[0]).toEqual(changed);
  });

  test("takes every whole number of paise as a price", () => {
    const { publishers } = createSimulator();
    const { id, surfaces } = publishers.signUp();
    for (let paise = 0; paise <= 1_000_000; paise = paise * 1.01 + 1) {
      const inr = Math.trunc(paise) / 100;
      const change = { cpmRange: [inr, Number(inr.toFixed(2))] as const };
      expect(publishers.setSurface(id, surfaces[0]?.id ?? "", change)).toMatchObject(change);
    }
  });

  test("refuses unknown surfaces and invalid values, and changes nothing", () => {
    const { publishers } = createSimulator();
    const { id, surfaces } = publishers.at(0);
    const surface = surfaces[0]?.id ?? "";
    const foreign = publishers.at(1).surfaces[0]?.id ?? "";
    const paused = { status: "paused" };
    const before = publishers.list();
    for (const [publisher, of, change, message] of [
      ["pub_nobody", surface, paused, /publisher/i],
      [id, "srf_nothing", paused, /surface/],
      [id, foreign, paused, /surface/],
      [id, surface, {}, /status, cpmRange or both/],
      [id, surface, { status: "gone" }, /active, paused/],
      [id, surface, { cpmRange: [3, 2] }, /lower bound first/],
      [id, surface, { cpmRange: [0, 10_001] }, /10000 INR/],
    ] as const)
      expect(() => publishers.setSurface(publisher, of, change)).toThrow(message);
    expect(publishers.list()).toEqual(before);
  });
});

test("impressions earn every amount from one bound of the price range to the other, and none beyond", () => {
  const sim = createSimulator();
  const surfaces = [{ name: "Narrow", cpmRange: [1, 1.01] }] as const;
  const { impression } = senderOf(sim, sim.publishers.signUp({ surfaces }));
  const credits = Array.from(
    { length: 500 },
    (): number => JSON.parse(impression().body).revenue_credited_inr,
  );
  const expected = Array.from({ length: 11 }, (_, step) => (1000 + step) / 1_000_000);
  expect([...new Set(credits)].sort((left, right) => left - right)).toEqual(expected);
});

test("an unknown index or id is refused, and the error for an index names the range", () => {
  const { publishers } = createSimulator();
  for (const index of [-1, 25, 0.5, Number.NaN])
    expect(() => publishers.at(index)).toThrow(/0 to 24/);
  expect(() => publishers.get("pub_nobody")).toThrow(InputError);
  expect(() => publishers.rotateKey("pub_nobody")).toThrow(InputError);
});

test("a list refuses wrong numbers and unknown options by name, and is empty past the last publisher", () => {
  const { publishers } = createSimulator();
  for (const wrong of [-5, Number.NaN, 0.5, Number.POSITIVE_INFINITY, "1", null]) {
    // Wrong on purpose: JavaScript allows what the types exclude.
    const count = wrong as number;
    expect(() => publishers.list({ offset: count, limit: 10 })).toThrow(/^offset must/);
    expect(() => publishers.list({ limit: count })).toThrow(/^limit must/);
    expect(() => publishers.credentials(count)).toThrow(/^count must/);
  }
  expect(() => publishers.list({ limit: 0 })).toThrow(/^limit must be at least 1/);
  const misspelt = { ofset: 1 } as { offset?: number };
  expect(() => publishers.list(misspelt)).toThrow("ofset is not known here");
  expect(publishers.list({ offset: undefined, limit: 25 })).toHaveLength(25);
  expect(publishers.list({ offset: 1e15 })).toEqual([]);
});
