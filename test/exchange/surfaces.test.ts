/** Inactive and unknown surfaces: each choice. */

import { describe, expect, test } from "vitest";
import { createSimulator, type Publisher, type Simulator } from "../../src/index.ts";
import type { Assumptions } from "../../src/spec/assumptions/catalogue.ts";
import { createParsingClient, type ParsingClient } from "./parsing-client.ts";

function world(assumptions: Partial<Assumptions>): {
  sim: Simulator;
  publisher: Publisher;
  asks: ParsingClient;
  show(surface: number, session?: string): ReturnType<ParsingClient["post"]>;
} {
  const sim = createSimulator({ assumptions });
  const publisher = sim.publishers.signUp({
    surfaces: ["running", { name: "paused", status: "paused" }],
  });
  const asks = createParsingClient(sim, publisher);
  return {
    sim,
    publisher,
    asks,
    show: (surface, session_id) =>
      asks.post("impression", {
        publisher_id: publisher.id,
        surface: publisher.surfaces[surface]?.id,
        ad_id: "ad",
        session_id,
      }),
  };
}

describe("surface.inactive=uncredited", () => {
  const choice = { "surface.inactive": "uncredited" } as const;

  test.each(["paused", "pending_review", "archived"])(
    "an impression on a surface that is %s counts and has an id, with 0 credited",
    (status) => {
      const { sim, publisher, asks, show } = world(choice);
      const { id } = publisher.surfaces[1] ?? { id: "" };
      sim.publishers.setSurface(publisher.id, id, { status });
      const { status: answered, body, shapedBy } = show(1);
      expect([answered, body.revenue_credited_inr]).toEqual([200, 0]);
      expect(shapedBy).toContain("surface.inactive");
      const stats = asks.get("stats", { publisher_id: publisher.id, surface: id }).body;
      expect(stats).toMatchObject({ impressions: 1, revenue_inr: 0 });
    },
  );

  test("an impression on an active surface still earns", () => {
    const { show } = world(choice);
    expect(show(0).body.revenue_credited_inr).toBeGreaterThan(0);
  });

  test("the price of the next impression stays what it would have been", () => {
    const [lenient, usual] = [world(choice), world({})];
    lenient.show(1);
    usual.show(0);
    expect(lenient.show(0).body.revenue_credited_inr).toBe(usual.show(0).body.revenue_credited_inr);
  });

  test("the impression may be clicked, and the click earns", () => {
    const { asks, show } = world(choice);
    const { impression_id } = show(1).body;
    expect(asks.post("click", { impression_id }).body.revenue_credited_inr).toBeGreaterThan(0);
  });

  test.each([
    ["original-uncredited", 200],
    ["replay", 200],
    ["conflict", 409],
  ] as const)("a repeated one is a duplicate: %s", (repeat, expected) => {
    const { sim, publisher, show } = world({ ...choice, "dedup.repeat": repeat });
    const first = show(1, "s");
    const again = show(1, "s");
    expect(again.status).toBe(expected);
    expect(again.shapedBy).toEqual(expect.arrayContaining(["surface.inactive", "dedup.key"]));
    // The replayed answer stays the same, whatever the surface's status is by then.
    sim.publishers.setSurface(publisher.id, publisher.surfaces[1]?.id ?? "", { status: "active" });
    const later = show(1, "s");
    expect(later.status).toBe(expected);
    if (repeat === "replay") expect([again.text, later.text]).toEqual([first.text, first.text]);
  });
});

test("an inactive seeded surface refuses, and the refusal lists surface.statuses", () => {
  const sim = createSimulator({ assumptions: { "surface.statuses": "extended" } });
  const publisher = sim.publishers.at(0);
  const show = (surface: string | undefined): ReturnType<ParsingClient["post"]> =>
    createParsingClient(sim, publisher).post("impression", {
      publisher_id: publisher.id,
      surface,
      ad_id: "ad",
    });
  const refused = show(publisher.surfaces.at(-1)?.id);
  expect(refused.status).toBe(409);
  expect(refused.shapedBy).toEqual(
    expect.arrayContaining(["surface.inactive", "surface.statuses"]),
  );
  expect(show(publisher.surfaces[0]?.id).status).toBe(200);
});
