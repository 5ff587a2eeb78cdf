/** Which entries a filter selects, in process and over the control API. */

import { describe, expect, test } from "vitest";
import { createControl } from "../../src/control/control.ts";
import {
  createSimulator,
  InputError,
  type JournalFilter,
  type Simulator,
} from "../../src/index.ts";
import { createWorlds, type Worlds } from "../../src/simulator/worlds.ts";
import { fakerPerson } from "../../src/world/publishers/people.ts";
import { askSurfaces } from "./asking.ts";

/** Entries 1 to 7: one each second, of two publishers, one on an unknown path, three touched by rules. */
function play(sim: Pick<Simulator, "clock" | "faults" | "publishers" | "handle">): void {
  const step = (act: () => unknown): void => {
    act();
    sim.clock.advance("1s");
  };
  const ask = (index: number): number => askSurfaces(sim as Simulator, index);
  step(() => ask(0));
  step(() => ask(1));
  step(() => sim.handle({ method: "GET", path: "/nope" }));
  step(() => sim.handle({ method: "DELETE", path: "/v1/click" }));
  const removeLost = sim.faults.add({ id: "lost", verdict: { kind: "lose-response" } });
  step(() => ask(0));
  removeLost();
  const removeBusy = sim.faults.add({ id: "busy", verdict: { kind: "respond", status: 503 } });
  step(() => ask(1));
  removeBusy();
  sim.faults.add({ id: "late", verdict: { kind: "delay", delay: 5 } });
  step(() => ask(1));
}

const cases: readonly (readonly [JournalFilter, number[]])[] = [
  [{}, [1, 2, 3, 4, 5, 6, 7]],
  [{ from: "2026-01-15T00:00:02Z" }, [3, 4, 5, 6, 7]],
  [{ until: "2026-01-15T00:00:02Z" }, [1, 2]],
  [{ from: "2026-01-15T05:30:01+05:30", until: "2026-01-15T00:00:03.000Z" }, [2, 3]],
  [{ fault: "any" }, [5, 6, 7]],
  [{ fault: "none" }, [1, 2, 3, 4]],
  [{ fault: "busy" }, [6]],
  [{ fault: "nobody" }, []],
  [{ unmatched: true }, [3, 4]],
  [{ unmatched: false }, [1, 2, 5, 6, 7]],
  [{ after: 5 }, [6, 7]],
  [{ after: 0 }, [1, 2, 3, 4, 5, 6, 7]],
  [{ after: 7 }, []],
  [{ status: 0 }, [5]],
  [{ status: 503 }, [6]],
  [{ limit: 2, after: 4 }, [5, 6]],
  [{ limit: 1, after: 0 }, [1]],
  [{ limit: 2 }, [6, 7]],
  [{ fault: "any", status: 200, operation: "surfaces" }, [7]],
];

describe("a filter", () => {
  const sim = createSimulator();
  play(sim);

  test.each(cases)("%o selects %o", (filter, sequences) => {
    expect(sim.journal.entries(filter).map(({ sequence }) => sequence)).toEqual(sequences);
  });

  test("finds sequence numbers after a clear as before", () => {
    const other = createSimulator({ journalEntries: 3 });
    play(other);
    other.journal.clear();
    for (let count = 0; count < 5; count += 1) askSurfaces(other, 0);
    const found = (filter: JournalFilter): number[] =>
      other.journal.entries(filter).map(({ sequence }) => sequence);
    expect([found({}), found({ after: 11 }), found({ after: 2 })]).toEqual([
      [10, 11, 12],
      [12],
      [10, 11, 12],
    ]);
  });
});

function worldsOf(): Worlds {
  return createWorlds({
    options: {},
    host: { people: () => fakerPerson },
    control: createControl(),
  });
}

describe("over HTTP", () => {
  const worlds = worldsOf();
  play(worlds.get("default"));

  test.each(cases)("%o selects %o", (filter, sequences) => {
    const query = filter as Readonly<Record<string, string>>;
    const answer = worlds.handle({ method: "GET", path: "/_sim/journal", query });
    expect(answer.status, answer.body).toBe(200);
    const { entries, total } = JSON.parse(answer.body);
    expect(entries.map(({ sequence }: { sequence: number }) => sequence)).toEqual(sequences);
    expect(total).toBe(7);
  });

  test.each([
    ["from", "from=yesterday"],
    ["until", "until=2026-13-01"],
    ["until", "from=2026-01-16&until=2026-01-15"],
    ["fault", "fault="],
    ["publisher", "publisher="],
    ["unmatched", "unmatched=yes"],
    ["unmatched", "unmatched="],
    ["after", "after=-1"],
    ["after", "after=1.5"],
    ["status", "status=1"],
    ["status", "status=600"],
    ["secrets", "secrets=true"],
    ["secrets", "secrets="],
    ["format", "format=HAR"],
    ["operation", "operation=impressions"],
    ["operation", "operation=toString"],
  ])("%s is refused, and the error names it: %s", (field, query) => {
    const answer = worlds.handle({ method: "GET", path: "/_sim/journal", query });
    expect([answer.status, JSON.parse(answer.body).field]).toEqual([400, field]);
  });
});

describe("invalid filters are refused, and the error names the field", () => {
  const sim = createSimulator();
  const wrong: readonly (readonly [string, unknown])[] = [
    ["filter", []],
    ["filter", [{ status: 200 }]],
    ["filter", null],
    ["filter", "status=200"],
    ["filter", 200],
    ["filter", () => true],
    ["from", { from: "yesterday" }],
    ["from", { from: 5 }],
    ["from", { from: new Date(0) }],
    ["until", { until: "2026-02-30" }],
    ["until", { from: "2026-01-15", until: "2026-01-15" }],
    ["fault", { fault: "" }],
    ["fault", { fault: true }],
    ["unmatched", { unmatched: "true" }],
    ["after", { after: -1 }],
    ["after", { after: 1.5 }],
    ["after", { after: "1" }],
    ["secrets", { secrets: true }],
    ["secrets", { secrets: "hidden" }],
    ["status", { status: 99 }],
    ["status", { status: 600 }],
    ["publisher", { publisher: "" }],
    ["format", { format: "har" }],
    ["baseUrl", { baseUrl: "http://a.test" }],
  ];

  test.each(wrong)("%s: %o", (field, filter) => {
    const given = filter as JournalFilter;
    for (const read of [sim.journal.entries, sim.journal.toNdjson]) {
      expect(() => read(given)).toThrow(InputError);
      expect(() => read(given)).toThrow(new RegExp(`^${field} `));
    }
    if (field !== "baseUrl") {
      expect(() => sim.journal.toHar(given)).toThrow(new RegExp(`^${field} `));
    }
  });

  test.each([
    "",
    "adsim",
    "/v1",
    "ftp://a.test",
    "http://a.test/?a=1",
    "http://a.test/#a",
    7,
    null,
  ])("an invalid base URL: %o", (baseUrl) => {
    expect(() => sim.journal.toHar({ baseUrl: baseUrl as string })).toThrow(/^baseUrl /);
  });
});
