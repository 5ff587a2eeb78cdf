/** The report as a whole: what it counts, which part of the journal it judges, and what it never shows. */

import { expect, test } from "vitest";
import { controlModules } from "../../src/adapters/control-modules.ts";
import { createControl } from "../../src/control/control.ts";
import { createSimulator } from "../../src/index.ts";
import { createWorlds } from "../../src/simulator/worlds.ts";
import { fakerPerson } from "../../src/world/publishers/people.ts";
import { reportWorldOf } from "./report-world.ts";

test("a world without requests has an empty report", () => {
  expect(createSimulator().report()).toEqual({
    requests: 0,
    kept: 0,
    copies: 0,
    from: undefined,
    until: undefined,
    operations: {},
    faults: {},
    notes: [],
    findings: [],
  });
});

test("requests are counted by operation and status, and by the rule that decided", () => {
  const stage = reportWorldOf({
    faults: [
      { id: "__proto__", match: { operation: "stats" }, verdict: { kind: "drop" } },
      { match: { operation: "impression", nth: 1 }, verdict: { kind: "delay", delay: 5 } },
    ],
  });
  stage.stats();
  stage.wait(1500);
  stage.impression("a");
  stage.impression("b");
  stage.send({ method: "GET", path: "/nowhere" });
  const report = stage.sim.report();
  expect(report).toMatchObject({
    requests: 4,
    kept: 4,
    from: "2026-01-15T00:00:00.000Z",
    until: "2026-01-15T00:00:01.500Z",
    operations: { stats: { 0: 1 }, impression: { 200: 2 }, none: { 404: 1 } },
  });
  expect(Object.entries(report.faults)).toEqual([
    ["__proto__", 1],
    ["rule-2", 1],
  ]);
});

test("a request that a rule applies twice counts once by operation, and its copy causes no finding", () => {
  for (const answer of ["first", "second"] as const) {
    const stage = reportWorldOf({ faults: [{ verdict: { kind: "duplicate", answer } }] });
    stage.impression("a");
    stage.impression("b");
    const { requests, copies, operations, faults, findings } = stage.sim.report();
    expect([requests, copies, operations, faults, findings]).toEqual([
      4,
      2,
      { impression: { 200: 2 } },
      { "rule-1": 2 },
      [],
    ]);
  }
});

test("the report judges what the journal still has; a copy whose original has left isn't a client's request", () => {
  const stage = reportWorldOf({ journalEntries: 3, faults: [{ verdict: { kind: "duplicate" } }] });
  stage.impression("a");
  stage.impression("b");
  const { operations, notes, kept } = stage.sim.report();
  expect([kept, operations]).toEqual([3, { impression: { 200: 1 } }]);
  expect(notes[0]).toBe("The journal has only the last 3 of 4 requests. Others weren't judged.");
});

test("the proof is three entries, the sequence numbers of a thousand, and the total count", () => {
  const stage = reportWorldOf();
  stage.repeat(1005, 1, (time) => stage.impression(undefined, `ad-${time}`));
  const { count, proof, sequences } = stage.finding("impression-without-session");
  expect([count, proof.length, sequences.length, sequences.at(-1)]).toEqual([1005, 3, 1000, 1000]);
  expect(proof).toEqual(stage.sim.journal.entries().slice(0, 3));
});

test("the report says which publishers' requests they are, most frequent first", () => {
  const stage = reportWorldOf();
  for (const index of [1, 0, 1]) stage.impression(undefined, "ad", stage.sim.publishers.at(index));
  expect(stage.finding("impression-without-session").who).toEqual([
    { publisher: stage.sim.publishers.at(1).id, count: 2 },
    { publisher: stage.sim.publishers.at(0).id, count: 1 },
  ]);
});

test("a path can't inject escape sequences into a terminal, or flood it", () => {
  const stage = reportWorldOf();
  stage.send({ method: "GET", path: `/v1/\u001b[2J\u009b\n${"y".repeat(500)}` });
  const { example } = stage.finding("no-such-operation");
  expect(example).toMatch(/^#1 \S+ GET \/v1\/ \[2J {2}y+… → 404, no such path$/);
  expect(example.length).toBeLessThan(180);
});

test("requests before and after a restore are judged separately", () => {
  const stage = reportWorldOf({
    faults: [{ match: { nth: 1 }, verdict: { kind: "respond", status: 401 } }],
  });
  const saved = stage.sim.snapshot();
  for (let count = 0; count < 3; count += 1) {
    stage.sim.clock.set({ mode: "frozen" });
    stage.sim.clock.set({ mode: "flowing" });
    stage.sim.restore(saved);
    stage.impression("a");
    stage.wait(5000);
  }
  expect(stage.sim.report()).toMatchObject({
    operations: { impression: { 401: 3 } },
    findings: [],
  });
});

test("GET /_sim/report returns the same report, and refuses a query parameter", () => {
  const worlds = createWorlds({
    options: { seed: "report" },
    host: { people: () => fakerPerson },
    control: createControl(controlModules),
  });
  worlds.handle({ method: "GET", path: "/v1/nowhere" });
  const { status, body } = worlds.handle({ method: "GET", path: "/_sim/report" });
  expect(status).toBe(200);
  expect(JSON.parse(body)).toEqual(JSON.parse(JSON.stringify(worlds.get("default").report())));
  expect(JSON.parse(body).findings[0].id).toBe("no-such-operation");
  const refused = worlds.handle({ method: "GET", path: "/_sim/report", query: "limit=1" });
  expect(refused.status).toBe(400);
});
