/** What makes a duplicate, and for how long: each choice and its edges. */

import { describe, expect, test } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import type { Assumptions } from "../../src/spec/assumptions/catalogue.ts";
import { createParsingClient, type ParsingClient } from "./parsing-client.ts";

interface Sent {
  readonly surface: number;
  readonly ad: string;
  readonly session?: string;
}

function world(assumptions: Partial<Assumptions>): {
  sim: Simulator;
  asks: ParsingClient;
  show(sent: Sent): ReturnType<ParsingClient["post"]>;
} {
  const sim = createSimulator({ assumptions });
  const publisher = sim.publishers.signUp({ surfaces: ["one", "two"] });
  const asks = createParsingClient(sim, publisher);
  return {
    sim,
    asks,
    show: ({ surface, ad, session }) =>
      asks.post("impression", {
        publisher_id: publisher.id,
        surface: publisher.surfaces[surface]?.id,
        ad_id: ad,
        session_id: session,
      }),
  };
}

const first: Sent = { surface: 0, ad: "ad", session: "s" };
const variants = {
  "the same again": first,
  "another ad": { ...first, ad: "other" },
  "another surface": { ...first, surface: 1 },
  "another surface and ad": { surface: 1, ad: "other", session: "s" },
  "another session": { ...first, session: "t" },
} as const;

describe.each([
  ["surface-ad-session", ["the same again"]],
  ["session", ["the same again", "another ad", "another surface", "another surface and ad"]],
] as const)("dedup.key=%s", (key, duplicates: readonly string[]) => {
  test.each(Object.entries(variants))("%s", (name, sent) => {
    const { show } = world({ "dedup.key": key });
    const { impression_id } = show(first).body;
    const { status, body } = show(sent);
    expect(status).toBe(200);
    expect(body.impression_id === impression_id).toBe(duplicates.includes(name));
    expect(body.revenue_credited_inr === 0).toBe(duplicates.includes(name));
  });

  test("an impression without a session is never a duplicate", () => {
    const { show } = world({ "dedup.key": key });
    const ids = [1, 2].map(() => show({ surface: 0, ad: "ad" }).body.impression_id);
    expect(new Set(ids).size).toBe(2);
  });

  test("a conflict names the impression that was recorded before", () => {
    const { show } = world({ "dedup.key": key, "dedup.repeat": "conflict" });
    show(first);
    const { status, body } = show(first);
    expect(status).toBe(409);
    expect(String(body.detail).includes("same ad")).toBe(key === "surface-ad-session");
  });
});

test("the same session under two publishers is no duplicate", () => {
  const sim = createSimulator({ assumptions: { "dedup.key": "session" } });
  const ids = [0, 1].map((index) => {
    const publisher = sim.publishers.at(index);
    const surface = publisher.surfaces[0]?.id;
    return createParsingClient(sim, publisher).post("impression", {
      publisher_id: publisher.id,
      surface,
      ad_id: "ad",
      session_id: "s",
    }).body;
  });
  for (const { revenue_credited_inr: credited } of ids) expect(credited).toBeGreaterThan(0);
});

describe("the window", () => {
  const HOUR_MS = 3_600_000;

  test.each([
    ["30m", HOUR_MS / 2],
    ["24h", 24 * HOUR_MS],
  ] as const)(
    "%s: a request a millisecond before the end is a duplicate, one at the end isn't",
    (choice, ms) => {
      for (const [waitMs, isDuplicate] of [
        [ms - 1, true],
        [ms, false],
      ] as const) {
        const { sim, show } = world({ "dedup.window": choice });
        const { impression_id } = show(first).body;
        sim.clock.advance(waitMs);
        expect(show(first).body.impression_id === impression_id).toBe(isDuplicate);
      }
    },
  );

  test("a window that never ends lasts for years, through other requests, a snapshot and a fork", () => {
    const { sim, show } = world({ "dedup.window": "forever" });
    const { impression_id } = show(first).body;
    for (let year = 0; year < 20; year += 1) {
      sim.clock.advance("365d");
      show({ ...first, session: `year ${year}` });
    }
    sim.restore(JSON.parse(JSON.stringify(sim.snapshot())));
    expect(show(first).body).toMatchObject({ impression_id, revenue_credited_inr: 0 });
    const again = sim.fork();
    sim.clock.advance("365d");
    expect(show({ ...first, session: "year 3" }).body.revenue_credited_inr).toBe(0);
    expect(again.snapshot().assumptions["dedup.window"]).toBe("forever");
    expect(show({ ...first, session: "new" }).body.revenue_credited_inr).toBeGreaterThan(0);
  });
});
