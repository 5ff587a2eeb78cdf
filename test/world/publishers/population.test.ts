/** The population is a function: a publisher depends neither on earlier look-ups nor on the population's size. */

import { describe, expect, test } from "vitest";
import { createSimulator, type Publisher, type SimulatorOptions } from "../../../src/index.ts";

const extended = { "surface.statuses": "extended" } as const;

function listOf(limit: number, options: SimulatorOptions): readonly Publisher[] {
  return createSimulator({ publishers: limit, ...options }).publishers.list({ limit });
}

describe.each(["typical", "tiny", "adversarial"] as const)("the %s population", (profile) => {
  const list = listOf(300, { profile });

  test("is the same in any order and at any size", () => {
    const { publishers } = createSimulator({ profile, publishers: 1_000_000 });
    const backwards = Array.from({ length: 50 }, (_, index) => publishers.at(49 - index));
    expect(backwards.toReversed()).toEqual(list.slice(0, 50));
  });

  test("has unique ids and keys, ordered price bounds, and fictitious people", () => {
    const ids = list.flatMap(({ id, apiKey, surfaces }) => [
      ...[id, apiKey],
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
    const known = new Set(list.flatMap(({ id, apiKey }) => [id, apiKey]));
    const others = listOf(300, { profile, seed: "other" });
    expect(others.filter(({ id, apiKey }) => known.has(id) || known.has(apiKey))).toEqual([]);
    expect(others.map(({ contact }) => contact)).not.toEqual(list.map(({ contact }) => contact));
  });

  test("under surface.statuses=extended differs in statuses alone: the first is active, the last isn't, in between are all", () => {
    const withStatuses = listOf(300, { profile, assumptions: extended });
    const statuses = withStatuses.map(({ surfaces }) => surfaces.map(({ status }) => status));
    const unlessEqual = withStatuses.map(({ surfaces, ...publisher }) => ({
      ...publisher,
      surfaces: surfaces.map((surface) => ({ ...surface, status: "active" })),
    }));
    expect(unlessEqual).toEqual(list);
    expect(statuses.every(([first]) => first === "active")).toBe(true);
    const last = statuses.filter(({ length }) => length > 1).map((all) => all.at(-1));
    expect([...new Set(last)].sort()).toEqual(["archived", "paused", "pending_review"]);
    const between = new Set(statuses.flatMap((all) => all.slice(1, -1)));
    expect(between.size).toBe(profile === "tiny" ? 0 : 4);
    const other = listOf(300, { profile, assumptions: extended, seed: "other" });
    expect(other.map(({ surfaces }) => surfaces.map(({ status }) => status))).not.toEqual(statuses);
  });
});

test("the adversarial profile has awkward names, and the typical one has none", () => {
  const names = (profile: "typical" | "adversarial"): string =>
    listOf(60, { profile })
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
