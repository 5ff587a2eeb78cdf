/** The journal keeps the latest entries with continuous numbers, and a filter selects among them, in process and over HTTP. */

import { describe, expect, test } from "vitest";
import { controlModules } from "../../src/adapters/control-modules.ts";
import { createControl } from "../../src/control/control.ts";
import {
  createSimulator,
  InputError,
  type JournalFilter,
  type Simulator,
} from "../../src/index.ts";
import { createWorlds } from "../../src/simulator/worlds.ts";
import { fakerHost } from "../../src/world/publishers/people.ts";
import { askSurfaces } from "./asking.ts";

const numbers = (sim: Simulator, filter: JournalFilter = {}): number[] =>
  sim.journal.entries(filter).map(({ sequence }) => sequence);

describe("what is kept", () => {
  test("are the latest entries, oldest first; all are numbered", () => {
    const sim = createSimulator({ journalEntries: 3 });
    for (let count = 0; count < 8; count += 1) askSurfaces(sim, count % 5);
    expect(numbers(sim)).toEqual([6, 7, 8]);
    expect([numbers(sim, { after: 7 }), numbers(sim, { after: 2 })]).toEqual([[8], [6, 7, 8]]);
    sim.journal.clear();
    expect([numbers(sim), sim.journal.total, sim.journal.kept]).toEqual([[], 8, 0]);
    for (let count = 0; count < 5; count += 1) askSurfaces(sim, 0);
    expect([numbers(sim), numbers(sim, { after: 12 })]).toEqual([[11, 12, 13], [13]]);
    expect(sim.fork().journal.total).toBe(0);
    sim.reset();
    expect([sim.journal.total, numbers(sim)]).toEqual([0, []]);
  });

  test("are 10,000 entries by default, and none on request", () => {
    const sim = createSimulator();
    for (let count = 0; count < 10_005; count += 1) sim.handle({ method: "GET", path: "/" });
    expect(numbers(sim)).toHaveLength(10_000);
    const none = createSimulator({ journalEntries: 0 });
    askSurfaces(none, 0);
    expect([numbers(none), none.journal.total]).toEqual([[], 1]);
  });

  test("of a request: its time, its text, the publisher, the answer and the reason", () => {
    const sim = createSimulator();
    sim.clock.advance(1);
    askSurfaces(sim, 2);
    const { id } = sim.publishers.at(2);
    expect(sim.journal.entries()[0]).toMatchObject({
      sequence: 1,
      at: "2026-01-15T00:00:00.001Z",
      operation: "surfaces",
      publisher: id,
      request: { method: "GET", path: "/v1/publisher/surfaces", query: `publisher_id=${id}` },
      response: { status: 200 },
      reason: "read",
    });
  });
});

/** Entries 1 to 7: one each second, of two publishers, two on unknown paths, three touched by rules. */
function play(sim: Pick<Simulator, "clock" | "faults" | "handle" | "publishers">): void {
  const step = (act: () => unknown): void => {
    act();
    sim.clock.advance("1s");
  };
  const ask = (index: number) => (): number => askSurfaces(sim as Simulator, index);
  step(ask(0));
  step(ask(1));
  step(() => sim.handle({ method: "GET", path: "/nope" }));
  step(() => sim.handle({ method: "DELETE", path: "/v1/click" }));
  const removeLost = sim.faults.add({ id: "lost", verdict: { kind: "lose-response" } });
  step(ask(0));
  removeLost();
  const removeBusy = sim.faults.add({ id: "busy", verdict: { kind: "respond", status: 503 } });
  step(ask(1));
  removeBusy();
  sim.faults.add({ id: "late", verdict: { kind: "delay", delay: 5 } });
  step(ask(1));
}

describe("a filter", () => {
  const sim = createSimulator();
  play(sim);
  const first = sim.publishers.at(0).id;
  const control = createControl(controlModules);
  const worlds = createWorlds({ options: {}, host: fakerHost, control });
  play(worlds.get("default"));

  const selects: readonly (readonly [JournalFilter, number[]])[] = [
    [{}, [1, 2, 3, 4, 5, 6, 7]],
    [{ from: "2026-01-15T00:00:02Z" }, [3, 4, 5, 6, 7]],
    [{ from: "2026-01-15T05:30:01+05:30", until: "2026-01-15T00:00:03.000Z" }, [2, 3]],
    [{ fault: "any" }, [5, 6, 7]],
    [{ fault: "none" }, [1, 2, 3, 4]],
    [{ fault: "busy" }, [6]],
    [{ fault: "nobody" }, []],
    [{ unmatched: true }, [3, 4]],
    [{ unmatched: false }, [1, 2, 5, 6, 7]],
    [{ publisher: first }, [1, 5]],
    [{ operation: "click" }, []],
    [{ after: 5 }, [6, 7]],
    [{ after: 7 }, []],
    [{ status: 0 }, [5]],
    [{ status: 503 }, [6]],
    [{ limit: 2, after: 4 }, [5, 6]],
    [{ limit: 1, after: 0 }, [1]],
    [{ limit: 2 }, [6, 7]],
    [{ limit: 2, status: 200 }, [2, 7]],
    [{ fault: "any", status: 200, operation: "surfaces" }, [7]],
  ];
  test.each(selects)("%o selects %o", (filter, sequences) => {
    expect(numbers(sim, filter)).toEqual(sequences);
    const query = filter as Readonly<Record<string, string>>;
    const answer = worlds.handle({ method: "GET", path: "/_sim/journal", query });
    const { entries, total } = JSON.parse(answer.body);
    expect(entries.map(({ sequence }: { sequence: number }) => sequence)).toEqual(sequences);
    expect(total).toBe(7);
  });

  test.each([
    ["from", "from=yesterday"],
    ["until", "from=2026-01-16&until=2026-01-15"],
    ["fault", "fault="],
    ["unmatched", "unmatched=yes"],
    ["after", "after=1.5"],
    ["status", "status=600"],
    ["secrets", "secrets="],
    ["format", "format=HAR"],
    ["operation", "operation=toString"],
  ])("of a query is refused, and the error names %s: %s", (field, query) => {
    const answer = worlds.handle({ method: "GET", path: "/_sim/journal", query });
    expect([answer.status, JSON.parse(answer.body).field]).toEqual([400, field]);
  });

  test.each<readonly [field: string, filter: unknown]>([
    ["filter", []],
    ["filter", null],
    ["filter", "status=200"],
    ["operatio", { operatio: "click" }],
    ["operation", { operation: "clicks" }],
    ["publisher", { publisher: "" }],
    ["from", { from: new Date(0) }],
    ["until", { until: "2026-02-30" }],
    ["until", { from: "2026-01-15", until: "2026-01-15" }],
    ["fault", { fault: true }],
    ["unmatched", { unmatched: "true" }],
    ["after", { after: -1 }],
    ["limit", { limit: 0 }],
    ["status", { status: 99 }],
    ["status", { status: 200.5 }],
    ["secrets", { secrets: true }],
    ["format", { format: "har" }],
  ])("is refused, and the error names %s: %o", (field, filter) => {
    const { entries, toNdjson, toHar } = sim.journal;
    for (const read of field === "filter" ? [entries, toNdjson] : [entries, toNdjson, toHar]) {
      const call = (): unknown => read(filter as JournalFilter);
      expect(call).toThrow(InputError);
      expect(call).toThrow(new RegExp(`^${field} `));
    }
  });

  test.each(["", "/v1", "ftp://a.test", "http://a.test/?a=1", "http://a.test/#a", 7, null])(
    "of a HAR can't have the base URL %o",
    (baseUrl) => {
      expect(() => sim.journal.toHar({ baseUrl: baseUrl as string })).toThrow(/^baseUrl /);
    },
  );
});
