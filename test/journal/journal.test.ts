/** The journal: a ring buffer with continuous numbers, filters, and no API key in it. */

import { describe, expect, test } from "vitest";
import { createSimulator, InputError, type Simulator } from "../../src/index.ts";

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
