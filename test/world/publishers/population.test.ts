/** The population is a function: a publisher depends neither on earlier look-ups nor on the population's size. */

import { describe, expect, test } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { senderOf } from "../../sender.ts";

describe.each(["typical", "tiny", "adversarial"] as const)("the %s population", (profile) => {
  test("is the same in any order and at any size", () => {
    const few = createSimulator({ profile, publishers: 50 });
    const many = createSimulator({ profile, publishers: 1_000_000 });
    const forwards = Array.from({ length: 50 }, (_, index) => few.publishers.at(index));
    const backwards = Array.from({ length: 50 }, (_, index) => many.publishers.at(49 - index));
    expect(backwards.toReversed()).toEqual(forwards);
  });

  test("has unique ids and keys, ordered price bounds, and fictitious people", () => {
    const list = createSimulator({ profile, publishers: 300 }).publishers.list({ limit: 300 });
    const ids = list.flatMap(({ id, apiKey, surfaces }) => [
      id,
      apiKey,
      ...surfaces.map((one) => one.id),
    ]);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { surfaces, contact, upiId, joined, name } of list) {
      expect(surfaces.length).toBeGreaterThanOrEqual(1);
      expect(surfaces.length).toBeLessThanOrEqual(8);
      for (const { cpmRange, status, name: called } of surfaces) {
        expect(cpmRange[0]).toBeLessThanOrEqual(cpmRange[1]);
        expect(cpmRange[0]).toBeGreaterThan(0);
        expect(status).toBe("active");
        expect(called).not.toBe("");
      }
      expect(name).not.toBe("");
      expect(contact.email).toMatch(/^[a-z.0-9]+@example\.com$/);
      expect(upiId).toMatch(/^[a-z.0-9]+@invalid$/);
      expect(joined <= "2026-01-15").toBe(true);
    }
  });

  test("differs under another seed", () => {
    const ids = (seed: string): string[] =>
      createSimulator({ seed, profile })
        .publishers.list({ limit: 25 })
        .map(({ id, name }) => id + name);
    const [one, two] = [new Set(ids("one")), ids("two")];
    expect(two.filter((id) => one.has(id))).toEqual([]);
  });
});

test("the last of a million publishers exists, and has a history", () => {
  const sim = createSimulator({ publishers: 1_000_000 });
  const { body } = senderOf(sim, sim.publishers.at(999_999)).get("stats");
  expect(JSON.parse(body).impressions).toBeGreaterThan(0);
});

test("history ends the day before the start: today has no events", () => {
  const sim = createSimulator();
  for (const publisher of sim.publishers.list({ limit: 25 })) {
    const { body } = senderOf(sim, publisher).get("stats", { from: "2026-01-15" });
    expect(JSON.parse(body)).toMatchObject({ impressions: 0, clicks: 0, revenue_inr: 0 });
  }
});

test("the adversarial profile has awkward names, and the typical one has none", () => {
  const names = (profile: "typical" | "adversarial"): string =>
    createSimulator({ profile, publishers: 60 })
      .publishers.list({ limit: 60 })
      .map(({ name }) => name)
      .join();
  expect(names("adversarial")).toMatch(/\u202e/);
  expect(names("adversarial").length).toBeGreaterThan(10_000);
  expect(names("typical")).not.toMatch(/\u202e/);
});

test("a user's own use of faker doesn't change our names", async () => {
  const before = createSimulator().publishers.at(5);
  const { faker } = await import("@faker-js/faker/locale/en_IN");
  faker.seed(1);
  faker.person.firstName();
  expect(createSimulator().publishers.at(5)).toEqual(before);
});

describe.each(["typical", "tiny", "adversarial"] as const)(
  "surface.statuses=extended in the %s population",
  (profile) => {
    const extended = { "surface.statuses": "extended" } as const;
    const statusesOf = (seed: string): string[][] =>
      createSimulator({ seed, profile, assumptions: extended, publishers: 300 })
        .publishers.list({ limit: 300 })
        .map(({ surfaces }) => surfaces.map(({ status }) => status));

    test("has an active first surface, and an inactive last one if there are several", () => {
      for (const statuses of statusesOf("adsim")) {
        expect(statuses[0]).toBe("active");
        if (statuses.length > 1) expect(statuses.at(-1)).not.toBe("active");
      }
    });

    test("gives the last surface one of three statuses, and those between one of four", () => {
      const all = statusesOf("adsim");
      const last = all.filter(({ length }) => length > 1).map((statuses) => statuses.at(-1));
      expect([...new Set(last)].sort()).toEqual(["archived", "paused", "pending_review"]);
      const between = new Set(all.flatMap((statuses) => statuses.slice(1, -1)));
      expect(between.size).toBe(profile === "tiny" ? 0 : 4);
    });

    test("changes nothing else about the publishers except their history", () => {
      const read = (assumptions: Partial<Record<"surface.statuses", "extended">>): unknown =>
        createSimulator({ profile, assumptions })
          .publishers.list({ limit: 25 })
          .map((publisher) => {
            const surfaces = publisher.surfaces.map((surface) => ({ ...surface, status: "any" }));
            return { ...publisher, surfaces };
          });
      expect(read(extended)).toEqual(read({}));
    });

    test("differs under another seed", () => {
      expect(statusesOf("other")).not.toEqual(statusesOf("adsim"));
    });
  },
);

test("a sign-up's surfaces are active by default, even with surface.statuses=extended", () => {
  const sim = createSimulator({ assumptions: { "surface.statuses": "extended" } });
  const { surfaces } = sim.publishers.signUp({ surfaces: ["one", "two"] });
  expect(surfaces.map(({ status }) => status)).toEqual(["active", "active"]);
});
