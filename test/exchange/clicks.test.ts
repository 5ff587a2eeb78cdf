/** Clicks that are repeated, late, or on an unknown impression: each choice and its edges. */

import { describe, expect, test } from "vitest";
import { createSimulator, type Publisher, type Simulator } from "../../src/index.ts";
import type { Assumptions } from "../../src/spec/assumptions/catalogue.ts";
import { createParsingClient, type ParsingClient } from "./parsing-client.ts";

interface World {
  readonly sim: Simulator;
  readonly publisher: Publisher;
  readonly asks: ParsingClient;
  show(): unknown;
  click(impressionId: unknown): ReturnType<ParsingClient["post"]>;
  totals(): unknown;
}

function world(assumptions: Partial<Assumptions>): World {
  const sim = createSimulator({ assumptions });
  const publisher = sim.publishers.signUp();
  const asks = createParsingClient(sim, publisher);
  const surface = publisher.surfaces[0]?.id;
  return {
    sim,
    publisher,
    asks,
    show: () =>
      asks.post("impression", { publisher_id: publisher.id, surface, ad_id: "ad" }).body
        .impression_id,
    click: (impression_id) => asks.post("click", { impression_id }),
    totals() {
      const { impressions, clicks, revenue_inr } = asks.get("stats", {
        publisher_id: publisher.id,
      }).body;
      return { impressions, clicks, revenue_inr };
    },
  };
}

describe("click.repeat=count", () => {
  test("every click counts, earns and has its own id; the first has the same id as under other choices", () => {
    const counting = world({ "click.repeat": "count" });
    const usual = world({});
    const [shown, other] = [counting.show(), counting.show()];
    expect([usual.show(), usual.show()]).toEqual([shown, other]);
    const clicks = [shown, shown, other, shown, other].map((id) => counting.click(id));
    for (const { body } of clicks) expect(body.revenue_credited_inr).toBeGreaterThan(0);
    const ids = clicks.map(({ body }) => body.click_id);
    expect(new Set(ids).size).toBe(5);
    expect([ids[0], ids[2]]).toEqual([shown, other].map((id) => usual.click(id).body.click_id));
    expect(counting.totals()).toMatchObject({ impressions: 2, clicks: 5 });
  });

  test("ids are not reused after a snapshot, and a fork gives the same ones", () => {
    const { sim, publisher, show, click } = world({ "click.repeat": "count" });
    const shown = show();
    const before = [1, 2, 3].map(() => click(shown).body.click_id);
    sim.restore(JSON.parse(JSON.stringify(sim.snapshot())));
    const fork = createParsingClient(sim.fork(), publisher);
    const after = [1, 2, 3].map(() => click(shown).body.click_id);
    expect(new Set([...before, ...after]).size).toBe(6);
    const forked = [1, 2, 3].map(() => fork.post("click", { impression_id: shown }).body.click_id);
    expect(forked).toEqual(after);
  });
});

describe("click.window", () => {
  const DAY_MS = 86_400_000;

  test("24h: a click a millisecond before the end counts, a click at the end gets 410", () => {
    const { sim, show, click, totals } = world({ "click.window": "24h" });
    const [early, late] = [show(), show()];
    sim.clock.advance(DAY_MS - 1);
    expect(click(early).status).toBe(200);
    sim.clock.advance(1);
    const { status, body, shapedBy } = click(late);
    expect([status, body.code]).toEqual([410, "click_too_late"]);
    expect(shapedBy).toContain("click.window");
    expect(totals()).toMatchObject({ clicks: 1 });
  });

  test.each(["original-uncredited", "replay", "conflict", "count"] as const)(
    "a repeated click after the window gets 410 where repeats are %s",
    (repeat) => {
      const { sim, show, click } = world({ "click.window": "24h", "click.repeat": repeat });
      const shown = show();
      expect(click(shown).status).toBe(200);
      sim.clock.advance("24h");
      expect(click(shown).status).toBe(410);
      expect(click("made up").status).toBe(404);
    },
  );
});
