/** Changing the assumptions of a running world: what changes from now on, and what stays. */

import { describe, expect, test } from "vitest";
import { createSimulator, InputError, type Simulator } from "../../../src/index.ts";
import { senderOf } from "../../sender.ts";

function impression(sim: Simulator, fields: Record<string, string> = {}) {
  return senderOf(sim, sim.publishers.at(0)).impression({ session_id: "s", ...fields });
}

function get(
  sim: Simulator,
  what: "stats" | "surfaces" | "payouts",
  query: Record<string, string> = {},
) {
  return senderOf(sim, sim.publishers.at(0)).get(what, query);
}

describe("changing assumptions in a running world", () => {
  test("takes effect from the next request on, and keeps what was recorded", () => {
    const sim = createSimulator();
    expect(impression(sim).status).toBe(200);
    expect(impression(sim).status).toBe(200);
    const before = get(sim, "stats", { from: "2026-01-15" }).body;
    const inForce = sim.assume({ "dedup.repeat": "conflict" });
    expect(inForce).toEqual({ ...createSimulator().assumptions, "dedup.repeat": "conflict" });
    expect(sim.assumptions).toEqual(inForce);
    expect(impression(sim).status).toBe(409);
    expect(get(sim, "stats", { from: "2026-01-15" }).body).toBe(before);
  });

  test("leaves keys alone that aren't named or are undefined", () => {
    const sim = createSimulator({ assumptions: { "errors.invalid": "422" } });
    sim.assume({ "limit.exceeded": "503", "errors.invalid": undefined });
    expect(sim.assumptions["errors.invalid"]).toBe("422");
    expect(sim.assumptions["limit.exceeded"]).toBe("503");
  });

  test("keeps quota, key, changed surfaces, sign-ups and the journal", () => {
    const sim = createSimulator();
    const first = sim.publishers.at(0);
    const { apiKey } = sim.publishers.rotateKey(first.id);
    sim.publishers.setSurface(first.id, first.surfaces[0]?.id ?? "", { cpmRange: [1, 2] });
    const signedUp = sim.publishers.signUp({ name: "Acme" });
    expect(get(sim, "surfaces").headers["x-ratelimit-remaining"]).toBe("59");
    sim.assume({ "errors.invalid": "422" });
    expect(get(sim, "surfaces").headers["x-ratelimit-remaining"]).toBe("58");
    expect(sim.publishers.at(0).apiKey).toBe(apiKey);
    expect(sim.publishers.at(0).surfaces[0]?.cpmRange).toEqual([1, 2]);
    expect(sim.publishers.get(signedUp.id)).toEqual(signedUp);
    expect(sim.journal.entries()).toHaveLength(2);
  });

  test("keeps a status that setSurface set, even if the seed gives the same one", () => {
    const sim = createSimulator({ assumptions: { "surface.statuses": "extended" } });
    const { id, surfaces } = sim.publishers.at(0);
    const last = surfaces.at(-1);
    const statusNow = () => sim.publishers.get(id).surfaces.at(-1)?.status;
    expect(last?.status).not.toBe("active");
    sim.publishers.setSurface(id, last?.id ?? "", { status: "active" });
    sim.assume({ "surface.statuses": "documented" });
    expect(statusNow()).toBe("active");
    sim.assume({ "surface.statuses": "extended" });
    expect(statusNow()).toBe("active");
    const restored = createSimulator();
    restored.restore(JSON.parse(JSON.stringify(sim.snapshot())));
    restored.assume({ "errors.invalid": "422" });
    expect(restored.publishers.get(id).surfaces.at(-1)?.status).toBe("active");
  });

  test("gives the same payouts and stats as a world that was made with them", () => {
    const sim = createSimulator();
    get(sim, "payouts");
    sim.assume({ "payout.order": "oldest-first", "date.timezone": "ist" });
    const made = createSimulator({
      assumptions: { "payout.order": "oldest-first", "date.timezone": "ist" },
    });
    expect(get(sim, "payouts").body).toBe(get(made, "payouts").body);
    expect(get(sim, "stats").body).toBe(get(made, "stats").body);
  });

  test("carries over to forks and snapshots; a reset goes back to the options", () => {
    const sim = createSimulator();
    sim.assume({ "errors.invalid": "422" });
    expect(sim.fork().assumptions["errors.invalid"]).toBe("422");
    const restored = createSimulator();
    restored.restore(sim.snapshot());
    expect(restored.assumptions["errors.invalid"]).toBe("422");
    sim.reset();
    expect(sim.assumptions["errors.invalid"]).toBe("400");
  });
});

describe("assume", () => {
  const wrong: readonly [unknown, string, RegExp][] = [
    [{ "dedup.repat": "conflict" }, "assumptions.dedup.repat", /Did you mean "dedup.repeat"/],
    [{ "dedup.repeat": "conflct" }, "assumptions.dedup.repeat", /conflict/],
    [{ "dedup.repeat": 409 }, "assumptions.dedup.repeat", /Choose one of/],
    ["dedup.repeat", "", /must be an object/],
    [null, "", /must be an object/],
  ];
  test.each(wrong)("refuses %j and changes nothing", (choices, field, message) => {
    const sim = createSimulator();
    const before = sim.assumptions;
    const attempt = (): unknown => sim.assume(choices as Parameters<Simulator["assume"]>[0]);
    expect(attempt).toThrow(message);
    try {
      attempt();
    } catch (error) {
      expect(error).toBeInstanceOf(InputError);
      expect((error as InputError).field).toBe(field);
    }
    expect(sim.assumptions).toBe(before);
  });

  test.each(["constructor", "__proto__", "prototype"])(
    "refuses the key %s, like createSimulator",
    (key) => {
      const choices = JSON.parse(`{${JSON.stringify(key)}:"x","dedup.repeat":"conflict"}`);
      expect(() => createSimulator().assume(choices)).toThrow("is not an assumption");
      expect(() => createSimulator({ assumptions: choices })).toThrow("is not an assumption");
    },
  );

  test("refuses an array and a Map, even without a wrong key", () => {
    for (const choices of [[], new Map([["dedup.repeat", "conflict"]])]) {
      expect(() => createSimulator().assume(choices as never)).toThrow(/must be an object/);
    }
  });

  test("refuses another time zone once somebody signed up: the day of joining is recorded", () => {
    const sim = createSimulator({
      start: "2026-01-15T20:00:00Z",
      assumptions: { "date.timezone": "ist" },
    });
    sim.publishers.signUp({ name: "Acme" });
    expect(() => sim.assume({ "date.timezone": "utc" })).toThrow(/decides the days of events/);
  });

  test("refuses another time zone once an event is recorded, because its day is recorded with it", () => {
    const sim = createSimulator();
    impression(sim);
    const before = JSON.stringify(sim.snapshot());
    expect(() => sim.assume({ "date.timezone": "ist", "errors.invalid": "422" })).toThrow(
      /decides the days of events/,
    );
    expect(JSON.stringify(sim.snapshot())).toBe(before);
    expect(sim.assume({ "errors.invalid": "422" })["date.timezone"]).toBe("utc");
  });
});

test("a world can start in the last millisecond of 9999 in India and be restored, but can't start later", () => {
  const start = "9999-12-31T18:29:59.999Z";
  const sim = createSimulator({ start, assumptions: { "date.timezone": "ist" } });
  expect(impression(sim).status).toBe(200);
  sim.publishers.signUp({ name: "Acme" });
  expect(JSON.parse(get(sim, "stats").body).period.to).toBe("9999-12-31");
  const restored = createSimulator();
  restored.restore(JSON.parse(JSON.stringify(sim.snapshot())));
  expect(get(restored, "stats").status).toBe(200);
  expect(() => createSimulator({ start: "9999-12-31T18:30:00Z" })).toThrow(InputError);
});
