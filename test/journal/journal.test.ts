/** The journal: a ring buffer with continuous numbers, filters, and no API key in it. */

import { describe, expect, test } from "vitest";
import {
  createSimulator,
  InputError,
  type Simulator,
  type SimulatorOptions,
} from "../../src/index.ts";

function ask(sim: Simulator, index: number, path = "/v1/publisher/surfaces"): number {
  const { id, apiKey } = sim.publishers.at(index);
  const headers = { Authorization: `Bearer ${apiKey}` };
  return sim.handle({ method: "GET", path, query: { publisher_id: id }, headers }).status;
}

describe("the ring", () => {
  test("keeps the latest entries, oldest first, and numbers all of them", () => {
    const sim = createSimulator({ journalEntries: 3 });
    for (let count = 0; count < 8; count += 1) ask(sim, count % 5);
    expect(sim.journal.entries().map(({ sequence }) => sequence)).toEqual([6, 7, 8]);
    expect(sim.journal.total).toBe(8);
    sim.journal.clear();
    expect(sim.journal.entries()).toEqual([]);
    ask(sim, 0);
    expect(sim.journal.entries().map(({ sequence }) => sequence)).toEqual([9]);
  });

  test("keeps 10,000 by default, and none on request", () => {
    const sim = createSimulator();
    for (let count = 0; count < 10_005; count += 1) ask(sim, 0);
    expect(sim.journal.entries()).toHaveLength(10_000);
    const none = createSimulator({ journalEntries: 0 });
    ask(none, 0);
    expect([none.journal.entries(), none.journal.total]).toEqual([[], 1]);
  });

  test("drops older entries for large bodies before they fill the memory", () => {
    const sim = createSimulator();
    const body = "x".repeat(8 * 1024 * 1024);
    for (let count = 0; count < 10; count += 1) {
      sim.handle({ method: "POST", path: "/v1/click", body });
    }
    expect(sim.journal.entries().map(({ sequence }) => sequence)).toEqual([8, 9, 10]);
  });

  test("does so for heads of thousands of fields without a value", () => {
    const sim = createSimulator();
    for (let count = 0; count < 300; count += 1) {
      const fields = Array.from({ length: 4000 }, (_, index) => [`a${index.toString(36)}`, ""]);
      sim.handle({ method: "GET", path: "/v1/nope", headers: Object.fromEntries(fields) });
    }
    const kept = sim.journal.entries().length;
    expect(kept).toBeGreaterThan(50);
    expect(kept).toBeLessThan(150);
  });

  test("does so for what a rule makes: a lost answer, and replaced headers", () => {
    const most = (faults: SimulatorOptions["faults"]): number => {
      const sim = createSimulator({ journalBytes: 20_000, faults });
      for (let count = 0; count < 50; count += 1) ask(sim, 0);
      return sim.journal.entries().length;
    };
    const usual = most([]);
    const headers = { "x-long": "x".repeat(10_000) };
    expect(most([{ verdict: { kind: "respond", status: 200, headers } }])).toBeLessThan(3);
    const lost = most([{ verdict: { kind: "lose-response" } }]);
    expect(lost).toBeGreaterThan(5);
    expect(lost).toBeLessThan(usual);
    const dropped = most([{ verdict: { kind: "drop" } }]);
    expect(dropped).toBeGreaterThan(usual);
  });

  test("counts the bytes of a cut body beside the text that shows them", () => {
    const journalBytes = 100_000;
    const sizeAt = (share: number): number => {
      const faults = [{ verdict: { kind: "truncate", share } }] as const;
      const sim = createSimulator({ journalBytes, faults });
      for (let count = 0; count < 1000; count += 1) {
        ask(sim, 0);
        sim.clock.advance("1s");
      }
      return journalBytes / sim.journal.entries().length;
    };
    const plain = createSimulator();
    ask(plain, 0);
    const [whole] = plain.journal.entries();
    const doubled = sizeAt(0.99) - sizeAt(0);
    expect(doubled / (whole?.response.body.length ?? 0)).toBeCloseTo(2, 0);
  });

  test("keeps as many bytes as asked, two for a wide character, and always the latest request", () => {
    const kept = (journalBytes: number, body: string): number => {
      const sim = createSimulator({ journalBytes });
      for (let count = 0; count < 30; count += 1) {
        sim.handle({ method: "POST", path: "/v1/click", body });
      }
      return sim.journal.entries().length;
    };
    expect(kept(1, "x")).toBe(1);
    expect(kept(0, "x")).toBe(0);
    const narrow = kept(1_000_000, "é".repeat(50_000));
    expect([18, 19]).toContain(narrow);
    expect(kept(1_000_000, "€".repeat(50_000))).toBe(Math.floor(narrow / 2));
  });

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, "1000", null])(
    "an invalid limit in bytes is refused, and the error names it: %o",
    (journalBytes) => {
      const make = (): unknown => createSimulator({ journalBytes: journalBytes as number });
      expect(make).toThrow(/^journalBytes /);
    },
  );

  test("a filter's conditions all have to hold; limit takes the latest entries", () => {
    const sim = createSimulator();
    ask(sim, 0);
    ask(sim, 1);
    ask(sim, 1, "/v1/publisher/stats");
    ask(sim, 1, "/nowhere");
    const { id } = sim.publishers.at(1);
    const found = (filter: Parameters<typeof sim.journal.entries>[0]): number[] =>
      sim.journal.entries(filter).map(({ sequence }) => sequence);
    expect(found({ publisher: id })).toEqual([2, 3, 4]);
    expect(found({ publisher: id, operation: "surfaces" })).toEqual([2]);
    expect(found({ status: 404 })).toEqual([4]);
    expect(found({ status: 200, limit: 2 })).toEqual([2, 3]);
    expect(found({ operation: "click" })).toEqual([]);
  });

  test("a reset clears the journal; a fork starts with an empty one", () => {
    const sim = createSimulator();
    ask(sim, 0);
    expect(sim.fork().journal.total).toBe(0);
    sim.reset();
    expect([sim.journal.total, sim.journal.entries()]).toEqual([0, []]);
  });
});

test("an entry has the time, the request, the publisher, the answer and the reason", () => {
  const sim = createSimulator();
  sim.clock.advance(1);
  ask(sim, 2);
  const { id } = sim.publishers.at(2);
  expect(sim.journal.entries()[0]).toMatchObject({
    sequence: 1,
    at: "2026-01-15T00:00:00.001Z",
    operation: "surfaces",
    publisher: id,
    request: {
      method: "GET",
      path: "/v1/publisher/surfaces",
      query: `publisher_id=${id}`,
      body: "",
    },
    response: { status: 200 },
    reason: "read",
  });
});

describe("an invalid filter", () => {
  test.each([
    ["operatio", { operatio: "click" }],
    ["operation", { operation: "clicks" }],
    ["publisher", { publisher: 5 }],
    ["status", { status: "200" }],
    ["status", { status: 200.5 }],
    ["limit", { limit: 0 }],
    ["limit", { limit: Number.NaN }],
    ["limit", { limit: "5" }],
  ])("is refused, and the error names %s: %o", (field, filter) => {
    const sim = createSimulator();
    const entries = (): unknown => sim.journal.entries(filter as { status: number });
    expect(entries).toThrow(InputError);
    expect(entries).toThrow(new RegExp(`^${field} `));
  });
});
